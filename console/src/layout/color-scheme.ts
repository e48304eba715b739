import { isMantineColorScheme, type MantineColorScheme } from "@mantine/core"

const REMEMBERED = "mantine-color-scheme-value"

/**
 * Sets the remembered colour scheme before the first paint. Mantine's own way is a script inside the page,
 * which the policy of the console does not run.
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
