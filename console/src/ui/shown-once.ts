/** For a dialog with something that cannot be shown again: it closes only by its own button. */
export const SHOWN_ONCE = {
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const
