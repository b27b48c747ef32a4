"use strict";
// Filters the checks that the page already holds. Without scripts every check is shown.
const every = (selector) => [...document.querySelectorAll(selector)];
const checks = every("details[data-status]");
const chips = every("button[data-status]");
const chapter = document.querySelector("#chapter");
const search = document.querySelector("#search");
const shown = document.querySelector("#shown");
document.documentElement.classList.add("scripted");

const isPressed = (chip) => chip.getAttribute("aria-pressed") === "true";
const press = (chip, pressed) => chip.setAttribute("aria-pressed", String(pressed));

function filter() {
  const statuses = new Set(chips.filter(isPressed).map((chip) => chip.dataset.status));
  const wanted = search.value.trim().toLowerCase();
  for (const check of checks) {
    check.hidden =
      !statuses.has(check.dataset.status) ||
      (chapter.value !== "" && check.dataset.chapter !== chapter.value) ||
      (wanted !== "" && !check.textContent.toLowerCase().includes(wanted));
  }
  for (const section of every("section[data-chapter]")) {
    section.hidden = ![...section.querySelectorAll("details[data-status]")].some((check) => !check.hidden);
  }
  const visible = checks.filter((check) => !check.hidden).length;
  shown.textContent = `${visible} of ${checks.length} shown`;
}

// The first click picks one status out of all; clicks after it add and remove; none means all.
for (const chip of chips) {
  chip.addEventListener("click", () => {
    if (chips.every(isPressed)) {
      chips.forEach((other) => press(other, other === chip));
    } else {
      press(chip, !isPressed(chip));
    }
    if (!chips.some(isPressed)) chips.forEach((other) => press(other, true));
    filter();
  });
}
chapter.addEventListener("change", filter);
search.addEventListener("input", filter);
document.querySelector("#unfold").addEventListener("click", (event) => {
  const open = event.target.dataset.open !== "true";
  event.target.dataset.open = String(open);
  event.target.textContent = open ? "Collapse all" : "Expand all";
  for (const check of checks) check.open = open;
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select");
  if (event.key === "/" && !typing) {
    event.preventDefault();
    search.focus();
  } else if (event.key === "Escape" && event.target === search) {
    search.value = "";
    filter();
  }
});
for (const button of every(".rerun button")) {
  button.addEventListener("click", async () => {
    const command = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    } catch {
      // Pages opened from a file may not write to the clipboard: select it instead.
      getSelection().selectAllChildren(command);
    }
  });
}
// A link to a check unfolds it, whatever the filters say.
function unfoldTarget() {
  const check = checks.find((candidate) => `#${candidate.id}` === location.hash);
  if (check) {
    check.closest("section").hidden = false;
    check.hidden = false;
    check.open = true;
    check.scrollIntoView();
  }
}
addEventListener("hashchange", unfoldTarget);
for (const here of every(".transcript .here")) {
  const box = here.parentElement;
  box.scrollTop = here.offsetTop - box.offsetTop - box.clientHeight / 2;
}
filter();
unfoldTarget();
