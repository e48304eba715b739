/** Options of a dialog whose content cannot be shown again: only its own button closes it. */
export const SHOWN_ONCE = {
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const
