import { useState } from "react"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { notifyDone } from "../../ui/notify.tsx"
import { knownPriceEntry } from "../models/changed-entry.ts"
import { modelPath } from "../models/filter-models.ts"
import { t } from "../../languages/text.ts"

export interface AddedModels {
  readonly add: (names: readonly string[]) => Promise<void>
  readonly isBusy: boolean
  readonly done: number
  readonly total: number
  /** Number of added models without a list price. */
  readonly unpriced: number
  readonly error: unknown
}

/** Adds models of a provider one by one, each with its list price. */
export function useAddedModels(provider: string): AddedModels {
  const [progress, setProgress] = useState({ done: 0, total: 0, unpriced: 0 })
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function add(names: readonly string[]): Promise<void> {
    setBusy(true)
    setError(null)
    let [done, unpriced] = [0, 0]
    const report = () => setProgress({ done, total: names.length, unpriced })
    report()
    try {
      for (const name of names) {
        if (!(await addModel(`${provider}/${name}`))) unpriced++
        done++
        report()
      }
      notifyDone(t("Added {done, plural, one {# model} other {# models}}.", { done }))
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
      await refresh("/models", "/providers")
    }
  }

  return { add, isBusy, ...progress, error }
}

/**
 * Adds a model with the kind and the price of the list of known models.
 * @returns whether it has a price.
 */
async function addModel(id: string): Promise<boolean> {
  const route = "PUT /models/{provider}/{name...}"
  const path = modelPath(id)
  const added = await api(route, { path, body: { kind: "chat" } })
  if (added.price !== null) return true
  const entry = knownPriceEntry(added)
  if (entry === undefined) return false
  await api(route, { path, body: entry })
  return true
}
