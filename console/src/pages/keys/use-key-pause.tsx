import type { ReactNode } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"

export interface KeyPause {
  /** Pauses a key after a confirmation, or resumes it. */
  readonly toggle: (key: Key) => void
  /** The confirmation dialog, which the page must render. */
  readonly dialog: ReactNode
}

/** Returns the action that pauses or resumes a key. Requests with a paused key are rejected. */
export function useKeyPause(): KeyPause {
  const { ask, dialog } = useAskFirst()

  function toggle(key: Key): void {
    if (key.is_paused) {
      change(key).catch(notifyError)
      return
    }
    const question = {
      title: `Pause ${key.name}?`,
      text: "Requests with it are rejected until you resume it.",
      action: "Pause the key",
    }
    ask(question, () => change(key))
  }

  return { toggle, dialog }
}

async function change({ id, is_paused: isPaused }: Key): Promise<void> {
  await api("PATCH /keys/{id}", { path: { id }, body: { is_paused: !isPaused } })
  notifyDone(isPaused ? "The key works again." : "The key has been paused.")
  await refresh("/keys")
}
