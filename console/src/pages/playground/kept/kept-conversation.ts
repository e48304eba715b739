import type { ChatSettings, Column } from "../conversation.ts"
import type { Exchange, ShownAnswer } from "../exchanges.ts"

/** A conversation as it is kept in the browser: never sent to the gateway. */
export interface KeptConversation {
  readonly id: string
  /** Whose it is: one person's, about one account. */
  readonly owner: string
  /** Null: called by its first question. */
  readonly name: string | null
  /** Unix milliseconds. */
  readonly changedAt: number
  readonly columns: readonly Column[]
  readonly settings: ChatSettings
  readonly exchanges: readonly Exchange[]
}

const LONGEST_NAME = 60

export function nameOf({ name, exchanges }: Pick<KeptConversation, "name" | "exchanges">): string {
  if (name !== null) return name
  const text = exchanges[0]?.question.text.trim().replaceAll(/\s+/g, " ") ?? ""
  if (text === "") return "Untitled"
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text
}

/** What of the exchanges is worth keeping: what was sent can be made again from the rest, and nothing runs any more. */
export function keptExchanges(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.map((exchange) => ({
    ...exchange,
    columns: exchange.columns.map((answers) => ({
      ...answers,
      steps: answers.steps.map(keptAnswer),
    })),
  }))
}

function keptAnswer(answer: ShownAnswer): ShownAnswer {
  return { ...answer, body: null, state: answer.state === "running" ? "stopped" : answer.state }
}
