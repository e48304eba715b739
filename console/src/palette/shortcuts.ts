import { useLayoutEffect, useRef } from "react"
import type { NavEntry } from "../layout/nav.tsx"

/** Maximum time between `g` and the letter of a page. */
const LETTER_TIMEOUT_MS = 1_500

export interface Shortcuts {
  readonly entries: readonly NavEntry[]
  readonly onPalette: () => void
  readonly onHelp: () => void
  readonly onGo: (to: string) => void
}

/** Returns the name of the modifier key on the reader's platform. */
export function modifierName(): string {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl"
}

/**
 * Handles the shortcuts that work on every page. They are registered before the page is painted, because users may
 * press a key as soon as they see the page. A pressed `g` still counts if the page is rendered again before the letter
 * is pressed.
 */
export function useShortcuts({ entries, onPalette, onHelp, onGo }: Shortcuts): void {
  const goSince = useRef(0)
  useLayoutEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.isComposing || event.altKey) return
      const key = event.key.toLowerCase()
      if (event.ctrlKey || event.metaKey) {
        if (key !== "k" || event.shiftKey) return
        event.preventDefault()
        return onPalette()
      }
      if (isTyping(event.target) || document.querySelector("[role=dialog]") !== null) return
      const isGoing = event.timeStamp - goSince.current < LETTER_TIMEOUT_MS
      const entry = isGoing ? entries.find(({ shortcut }) => shortcut === key) : undefined
      goSince.current = key === "g" ? event.timeStamp : 0
      if (entry !== undefined) onGo(entry.to)
      if (event.key === "?") onHelp()
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [entries, onPalette, onHelp, onGo])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))
  )
}
