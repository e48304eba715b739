import type { ChatSettings, Column } from "../conversation.ts"
import type { Exchange, ShownResponse } from "../exchanges.ts"
import { t } from "../../../languages/text.ts"

/** A conversation stored in the browser. It is never sent to the gateway. */
export interface KeptConversation {
  readonly id: string
  /** Identifies the user and the account. */
  readonly owner: string
  /** The name; null if the conversation is named after its first question. */
  readonly name: string | null
  /** Unix milliseconds. */
  readonly changedAt: number
  readonly columns: readonly Column[]
  readonly settings: ChatSettings
  readonly exchanges: readonly Exchange[]
}

const MAX_NAME_LENGTH = 60

export function nameOf({ name, exchanges }: Pick<KeptConversation, "name" | "exchanges">): string {
  if (name !== null) return name
  const text = exchanges[0]?.question.text.trim().replaceAll(/\s+/g, " ") ?? ""
  if (text === "") return t("Untitled")
  return text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH - 1)}…` : text
}

/**
 * Returns the exchanges as they are stored: without request bodies, which can be rebuilt, and without running states.
 */
export function keptExchanges(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.map((exchange) => ({
    ...exchange,
    columns: exchange.columns.map((responses) => ({
      ...responses,
      steps: responses.steps.map(keptResponse),
    })),
  }))
}

function keptResponse(response: ShownResponse): ShownResponse {
  return {
    ...response,
    body: null,
    state: response.state === "running" ? "stopped" : response.state,
  }
}
