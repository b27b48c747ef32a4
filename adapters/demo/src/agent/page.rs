//! The page that the agent writes: self-contained, with a picture computed from the prompt. Pure.

/// Returns a file name made from the prompt's first words.
pub(super) fn file_name(prompt: &str) -> String {
    let words: Vec<String> = prompt
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_ascii_lowercase)
        .collect();
    match words.join("-") {
        slug if slug.is_empty() => "demo.html".to_owned(),
        slug => format!("{}.html", slug.chars().take(40).collect::<String>()),
    }
}

/// Returns the page for a prompt.
pub(super) fn html(prompt: &str) -> String {
    let title = escape(&prompt.chars().take(120).collect::<String>());
    let seed = hash(prompt);
    let hue = seed % 360;
    let petals: String = (0..12).map(|index| petal(seed, index)).collect();
    format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; font: 18px/1.5 system-ui, sans-serif;
         color: hsl({hue} 40% 18%); background: radial-gradient(circle at 30% 20%, hsl({hue} 90% 97%), hsl({hue} 60% 86%)); }}
  main {{ text-align: center; padding: 2rem; max-width: 36rem }}
  svg {{ width: min(60vw, 18rem); animation: turn 60s linear infinite }}
  @keyframes turn {{ to {{ transform: rotate(360deg) }} }}
  @media (prefers-reduced-motion: reduce) {{ svg {{ animation: none }} }}
  small {{ opacity: .7 }}
</style>
<main>
  <svg viewBox="-75 -75 150 150" role="img" aria-label="A flower drawn from the prompt">{petals}<circle r="10" fill="hsl({hue} 80% 35%)"/></svg>
  <h1>{title}</h1>
  <p><small>Written by the demo agent. Every prompt draws another flower.</small></p>
</main>
</html>
"#
    )
}

fn petal(seed: u64, index: u64) -> String {
    let shape = (seed >> (index * 5)) & 31;
    let (angle, length, width) = (index * 30, 22 + shape, 5 + shape % 7);
    let hue = (seed + index * 11) % 360;
    format!(
        r#"<ellipse rx="{width}" ry="{length}" transform="rotate({angle}) translate(0 -18)" fill="hsl({hue} 75% 60% / .5)"/>"#
    )
}

/// FNV-1a: the same prompt draws the same flower on every machine.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_contains_safe_characters_only() {
        assert_eq!(file_name("Make a page, about tea & more!"), "make-a-page-about.html");
        assert_eq!(file_name("../../etc/passwd"), "etc-passwd.html");
        assert_eq!(file_name("日本語"), "demo.html");
    }

    #[test]
    fn page_escapes_html_of_prompt() {
        let page = html("<script>alert(1)</script>");
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;"));
        assert_ne!(html("a"), html("b"));
    }
}
