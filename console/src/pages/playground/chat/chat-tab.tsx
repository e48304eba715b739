import { useState } from "react"
import { DEFAULT_SETTINGS, type Question } from "../conversation.ts"
import { takeHandOver } from "../hand-over.ts"
import { ConversationList } from "../kept/conversation-list.tsx"
import type { KeptConversation } from "../kept/kept-conversation.ts"
import type { Said } from "../kept/use-keeping.ts"
import { useKept } from "../kept/use-kept.ts"
import { readRequest } from "../read-request.ts"
import { usePayment } from "../use-payer.tsx"
import { ChatRoom } from "./chat-room.tsx"

/** The open conversation. */
interface Open extends Said {
  readonly id: string
  readonly draft?: Question | undefined
}

/** Conversations with chat models, stored per user and account. */
export function ChatTab({ model }: { readonly model: string | undefined }) {
  const { payer } = usePayment()
  const [first] = useState<Open>(() => {
    const left = takeHandOver()
    return { ...newConversation(), ...(left && readRequest(left)) }
  })
  const owner = payer === undefined ? "" : `${payer.user} ${payer.account}`
  return <Conversations key={owner} owner={owner} first={first} requested={model} />
}

function newConversation(): Open {
  const columns = [{ id: 0, model: null }]
  return { id: crypto.randomUUID(), columns, settings: DEFAULT_SETTINGS, exchanges: [] }
}

interface ConversationsProperties {
  readonly owner: string
  readonly first: Open
  readonly requested: string | undefined
}

function Conversations({ owner, first, requested }: ConversationsProperties) {
  const kept = useKept(owner)
  const [open, setOpen] = useState(first)
  const [isListShown, setListShown] = useState(false)

  function keep(id: string, said: Said) {
    // Without a paying account there are no responses to store.
    if (owner === "") return
    const name = kept.list.find((known) => known.id === id)?.name ?? null
    kept.keep({ ...said, id, owner, name, changedAt: Date.now() })
  }

  async function forget(ids: readonly string[]) {
    await kept.forget(ids)
    if (ids.includes(open.id)) setOpen(newConversation())
  }

  function show(conversation: KeptConversation) {
    setOpen(conversation)
    setListShown(false)
  }

  return (
    <>
      <ChatRoom
        key={open.id}
        begun={open}
        requested={requested}
        draft={open.draft}
        onKeep={(said) => keep(open.id, said)}
        onNew={() => setOpen({ ...newConversation(), settings: open.settings })}
        onList={owner === "" ? undefined : () => setListShown(true)}
      />
      <ConversationList
        kept={kept}
        openId={open.id}
        isShown={isListShown}
        onOpen={show}
        onForget={forget}
        onClose={() => setListShown(false)}
      />
    </>
  )
}
