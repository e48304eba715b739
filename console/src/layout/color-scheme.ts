import { isMantineColorScheme, type MantineColorScheme } from "@mantine/core"

const REMEMBERED = "mantine-color-scheme-value"

/**
 * Applies the stored color scheme before the first paint. Mantine's own inline script for this is blocked by the
 * console's content security policy.
 */
export function applyColorScheme(): void {
  const scheme = rememberedScheme()
  const isDark =
    scheme === "auto"
      ? window.matchMedia("(prefers-color-scheme: dark)").matches
      : scheme === "dark"
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light")
}

function rememberedScheme(): MantineColorScheme {
  try {
    const remembered = localStorage.getItem(REMEMBERED)
    return isMantineColorScheme(remembered) ? remembered : "auto"
  } catch {
    return "auto"
  }
}
