import { useEffect, useRef } from "react"
import { type KeptConversation, keptExchanges } from "./kept-conversation.ts"

/** The parts of a conversation that change while it is open. */
export type Said = Pick<KeptConversation, "columns" | "settings" | "exchanges">

/** Stores the conversation whenever a response is complete and when the conversation is closed. */
export function useKeeping(
  begun: Said,
  said: Said,
  isRunning: boolean,
  onKeep: (said: Said) => void,
) {
  const kept = useRef(begun)
  const latest = useRef({ said, onKeep })
  latest.current = { said, onKeep }
  const keep = useRef(() => {
    const { said, onKeep } = latest.current
    const { exchanges, settings } = kept.current
    if (said.exchanges.length === 0) return
    if (said.exchanges === exchanges && said.settings === settings) return
    kept.current = said
    onKeep({ ...said, exchanges: keptExchanges(said.exchanges) })
  }).current
  useEffect(() => {
    if (!isRunning) keep()
  }, [isRunning, said.exchanges, said.settings, keep])
  useEffect(() => keep, [keep])
}
