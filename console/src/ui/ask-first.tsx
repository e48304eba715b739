import { type ReactNode, useState } from "react"
import { Confirm } from "./confirm.tsx"
import type { Question } from "./question.ts"

export interface AskFirst {
  /** Does it at once where there is no question, and after a yes where there is one. */
  readonly ask: (question: Question | undefined, act: () => Promise<unknown>) => void
  /** To be put on the page, outside of any form. */
  readonly dialog: ReactNode
}

/** Asks once more before what is rarely meant, in a dialog whose cancel button has the focus. */
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
