/** Options of a dialog whose content cannot be shown again. It is closed only by its own button. */
export const SHOWN_ONCE = {
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const
