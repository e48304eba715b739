const ATTRIBUTE = "data-mantine-color-scheme"

/** Prints pages in light colors, because browsers do not print dark backgrounds. */
export function printInLightColors(): void {
  const root = document.documentElement
  let shown: string | null = null
  window.addEventListener("beforeprint", () => {
    shown = root.getAttribute(ATTRIBUTE)
    root.setAttribute(ATTRIBUTE, "light")
  })
  window.addEventListener("afterprint", () => {
    if (shown !== null) root.setAttribute(ATTRIBUTE, shown)
  })
}
