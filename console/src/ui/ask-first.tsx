import { type ReactNode, useState } from "react"
import { Confirm } from "./confirm.tsx"
import type { Question } from "./question.ts"

export interface AskFirst {
  /** Runs the action immediately if there is no question, and after a confirmation otherwise. */
  readonly ask: (question: Question | undefined, act: () => Promise<unknown>) => void
  /** The dialog to render on the page, outside of any form. */
  readonly dialog: ReactNode
}

/** Asks for a confirmation of unusual input, in a dialog whose cancel button has the focus. */
export function useAskFirst(): AskFirst {
  const [pending, setPending] = useState<{ question: Question; act: () => Promise<unknown> }>()

  function ask(question: Question | undefined, act: () => Promise<unknown>) {
    if (question === undefined) void act()
    else setPending({ question, act })
  }

  const dialog = (
    <Confirm
      isOpen={pending !== undefined}
      title={pending?.question.title ?? ""}
      action={pending?.question.action ?? ""}
      onConfirm={async () => await pending?.act()}
      onClose={() => setPending(undefined)}
    >
      {pending?.question.text}
    </Confirm>
  )
  return { ask, dialog }
}
