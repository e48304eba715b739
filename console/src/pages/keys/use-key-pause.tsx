import type { ReactNode } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone, notifyError } from "../../ui/notify.tsx"
import { t } from "../../languages/text.ts"

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
      title: t("Pause {name}?", { name: key.name }),
      text: t("Requests with it are rejected until you resume it."),
      action: t("Pause the key"),
    }
    ask(question, () => change(key))
  }

  return { toggle, dialog }
}

async function change({ id, is_paused: isPaused }: Key): Promise<void> {
  await api("PATCH /keys/{id}", { path: { id }, body: { is_paused: !isPaused } })
  notifyDone(isPaused ? t("The key works again.") : t("The key has been paused."))
  await refresh("/keys")
}
