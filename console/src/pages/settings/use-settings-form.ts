import { useState } from "react"
import { multiplierDoubt } from "tollgate-contract/amounts.ts"
import type { SettingsView } from "tollgate-contract/operations.ts"
import { ApiError } from "../../api/api-error.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { useAskFirst } from "../../ui/ask-first.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { multiplierQuestion } from "../credits/large-amount.ts"
import { decimalFault, readPrice } from "../models/prices.ts"
import { t } from "../../languages/text.ts"

export type Setting = SettingsView["changeable"][number]

const MULTIPLIER = "multiplier"

/** Holds the edited settings and saves them together. */
export function useSettingsForm(settings: readonly Setting[]) {
  const [typed, setTyped] = useState<Readonly<Record<string, string | null>>>({})
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const { ask, dialog } = useAskFirst()
  const valueOf = (setting: Setting) => typed[setting.name] ?? setting.value ?? ""
  /** Whether a stored secret is removed when the form is saved. An empty field of a secret changes nothing. */
  const isRemoved = ({ name, is_secret: isSecret }: Setting) => isSecret && typed[name] === null
  const changed = settings.filter(
    (setting) =>
      !setting.is_locked &&
      (isRemoved(setting) || valueOf(setting).trim() !== (setting.value ?? "")),
  )

  function discard() {
    setTyped({})
    setFaults({})
    setError(null)
  }

  async function send(changes: Readonly<Record<string, string | null>>) {
    setBusy(true)
    setError(null)
    try {
      await api("PATCH /settings", { body: { ...changes } })
      await refresh("/settings", "/session")
      discard()
      notifyDone(t("The settings have been saved."))
    } catch (thrown) {
      const fields = thrown instanceof ApiError ? thrown.fields : {}
      setFaults(fields)
      // Errors without a matching field are shown above the button.
      if (!settings.some(({ name }) => name in fields)) setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  function save() {
    const entries = changed.map(
      (setting) => [setting.name, valueOf(setting).trim() || null] as const,
    )
    const changes = Object.fromEntries(entries)
    const text = changes[MULTIPLIER]
    if (text === undefined || text === null) return void send(changes)
    const fault = decimalFault(text)
    const multiplier = readPrice(text)
    setFaults(fault === undefined ? {} : { [MULTIPLIER]: fault })
    if (multiplier === undefined) return
    ask(multiplierQuestion(multiplierDoubt(multiplier, t)), () =>
      send({ ...changes, [MULTIPLIER]: multiplier }),
    )
  }

  return {
    valueOf,
    faults,
    error,
    isBusy,
    dialog,
    changes: changed.length,
    isRemoved,
    type: (name: string, value: string | null) => setTyped({ ...typed, [name]: value }),
    save,
    discard,
  }
}
