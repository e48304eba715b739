import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core"
import { SEPARATORS } from "./format/numbers.ts"
import { t } from "./languages/text.ts"

/**
 * The green-blue of the logo. Filled elements use shade 7 in the light scheme and shade 8 in the dark scheme. White
 * text is readable on both.
 */
const teal: MantineColorsTuple = [
  "#e8f7f6",
  "#d2ecea",
  "#a4d9d5",
  "#72c5bf",
  "#48b4ac",
  "#26a097",
  "#118b83",
  "#0b7a75",
  "#0a6662",
  "#074c4a",
]

/** Surfaces of the dark scheme, between gray and the green of the logo. */
const dark: MantineColorsTuple = [
  "#d5dbdc",
  "#b8c1c3",
  "#97a3a6",
  "#6b787c",
  "#3b464a",
  "#2b3438",
  "#20282b",
  "#171d20",
  "#12171a",
  "#0c1012",
]

/** Darker than Mantine's red, so that text in it and white text on it are readable. */
const red: MantineColorsTuple = [
  "#fdecec",
  "#fad7d7",
  "#f2b0b0",
  "#ea8686",
  "#e36161",
  "#dc4747",
  "#cf3434",
  "#bd2a2a",
  "#a32222",
  "#861a1a",
]

const SYSTEM =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif'

export const theme = createTheme({
  primaryColor: "gate",
  primaryShade: { light: 7, dark: 7 },
  colors: { gate: teal, dark, red },
  defaultRadius: "sm",
  fontFamily: SYSTEM,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontFamily: SYSTEM, fontWeight: "600" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Modal: { defaultProps: { centered: true, closeButtonProps: { "aria-label": t("Close") } } },
    Drawer: {
      defaultProps: {
        position: "right",
        size: "lg",
        closeButtonProps: { "aria-label": t("Close") },
      },
    },
    NumberInput: { defaultProps: { decimalSeparator: SEPARATORS.decimal } },
    // Mantine's placeholder is not a valid child of a menu. The first item gets the focus instead.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": t("Close") } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 250 } },
    Select: { defaultProps: { comboboxProps: { shadow: "md" } } },
  },
})

/**
 * Mantine's light variants are too bright in the dark scheme. These colors are muted, so that text on them is readable.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {},
  dark: {
    ...lightVariant("gate", "#12332f", "#173d39", "#8adbd3"),
    ...lightVariant("red", "#43211f", "#4e2725", "#ffb8b4"),
    ...lightVariant("yellow", "#372d14", "#42361a", "#ffd97a"),
    ...lightVariant("gray", "#262e31", "#2e373b", "#bcc6c8"),
  },
})

function lightVariant(
  name: string,
  surface: string,
  hover: string,
  words: string,
): Record<string, string> {
  return {
    [`--mantine-color-${name}-light`]: surface,
    [`--mantine-color-${name}-light-hover`]: hover,
    [`--mantine-color-${name}-light-color`]: words,
  }
}
