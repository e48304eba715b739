import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useRef, useState } from "react"
import { forgetConversations, keepConversation, listConversations } from "./conversation-store.ts"
import type { KeptConversation } from "./kept-conversation.ts"

export interface Kept {
  /** The stored conversations, newest first. */
  readonly list: readonly KeptConversation[]
  /** Whether the browser can store conversations; true until an access to the storage fails. */
  readonly isKeeping: boolean
  readonly keep: (conversation: KeptConversation) => void
  readonly forget: (ids: readonly string[]) => Promise<void>
}

/** Returns the conversations that this browser stores for an owner. */
export function useKept(owner: string): Kept {
  const client = useQueryClient()
  const forgotten = useRef(new Set<string>())
  const [hasFailed, setFailed] = useState(false)
  const { data = [], isError } = useQuery({
    queryKey: ["playground", owner],
    queryFn: () => listConversations(owner),
    retry: false,
  })
  const look = useCallback(
    () => client.invalidateQueries({ queryKey: ["playground", owner] }),
    [client, owner],
  )

  const keep = useCallback(
    (conversation: KeptConversation) => {
      // The conversation may have been deleted while a response was running.
      if (forgotten.current.has(conversation.id)) return
      keepConversation(conversation).then(look, () => setFailed(true))
    },
    [look],
  )

  async function forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) forgotten.current.add(id)
    await forgetConversations(ids)
    await look()
  }

  return { list: data, isKeeping: !hasFailed && !isError, keep, forget }
}
