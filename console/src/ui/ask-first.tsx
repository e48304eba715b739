import { type ReactNode, useState } from "react"
import { Confirm } from "./confirm.tsx"
import type { Question } from "./question.ts"

export interface AskFirst {
  /** Runs the action immediately if there is no question. Otherwise, runs it after a confirmation. */
  readonly ask: (question: Question | undefined, act: () => Promise<unknown>) => void
  /** The dialog, which the page must render outside of any form. */
  readonly dialog: ReactNode
}

/** Asks for a confirmation of unusual input. The cancel button of the dialog has the focus. */
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
