import { useBlocker } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { DiscardQuestion } from "./discard-question.tsx"

/**
 * Asks before another page is opened while there are unsaved changes. Before the browser tab is closed or loaded again,
 * the browser asks.
 * @returns the dialog, which the page must render outside of any form.
 */
export function useLeaveQuestion(hasChanges: () => boolean): ReactNode {
  const blocker = useBlocker({
    // Filters and dialogs of the same page are in the search parameters.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && hasChanges(),
    enableBeforeUnload: hasChanges,
    withResolver: true,
  })
  return (
    <DiscardQuestion
      isOpen={blocker.status === "blocked"}
      onDiscard={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    />
  )
}
