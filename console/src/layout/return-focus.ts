/** Selects overlays, whose elements vanish when they close. */
const OVERLAYS = "[role='dialog'], [role='menu'], [role='listbox']"
const DIALOG = "[role='dialog']"
const MAX_REMEMBERED = 10

/**
 * Returns the focus to the last used control of the page when a dialog closes. Dialogs do this themselves, but not if
 * they were opened by a menu or another dialog that has vanished since. Without focus, keyboard users start again at
 * the top of the page.
 */
export function returnFocusAfterDialogs(): void {
  let remembered: readonly HTMLElement[] = []
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target.closest(OVERLAYS) !== null) return
    remembered = [...remembered.filter((each) => each !== target), target].slice(-MAX_REMEMBERED)
  })
  const observer = new MutationObserver((changes) => {
    if (document.activeElement !== document.body) return
    const hasClosed = changes.some(({ removedNodes }) => [...removedNodes].some(containsDialog))
    if (!hasClosed || document.querySelector(DIALOG) !== null) return
    remembered.findLast((each) => each.isConnected)?.focus({ preventScroll: true })
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

function containsDialog(node: Node): boolean {
  return node instanceof Element && (node.matches(DIALOG) || node.querySelector(DIALOG) !== null)
}
