import { useState } from "react"
import type { Provider } from "tollgate-contract/catalog.ts"
import { ApiError } from "../../api/api-error.ts"
import { useRequestKeys } from "../../api/idempotency-key.ts"
import { refresh } from "../../api/refresh.ts"

export interface ProviderSave {
  readonly isBusy: boolean
  /** Errors by the name of the field. */
  readonly errors: Readonly<Record<string, string>>
  /** An error without a matching field. */
  readonly error: unknown
  readonly run: (send: SendProvider) => Promise<Provider | undefined>
}

/** @param idempotencyKey prevents a repeated request from being executed twice. */
type SendProvider = (idempotencyKey: string) => Promise<Provider>

/** Reports whether the form has a field for an error. */
function isShown(name: string, fields: readonly string[]): boolean {
  return fields.includes(name) || (name.startsWith("api_keys") && fields.includes("api_key"))
}

/**
 * Saves a provider and shows errors next to their fields. @param fields names of the form's fields.
 */
export function useProviderSave(fields: readonly string[]): ProviderSave {
  const [isBusy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const keys = useRequestKeys()

  async function run(send: SendProvider): Promise<Provider | undefined> {
    setBusy(true)
    setErrors({})
    setError(null)
    try {
      const provider = await send(keys.current)
      await refresh("/providers", "/models")
      return provider
    } catch (thrown) {
      const failure = keys.failed(thrown)
      const faults = failure instanceof ApiError ? failure.fields : {}
      setErrors(faults)
      const names = Object.keys(faults)
      if (names.length === 0 || names.some((name) => !isShown(name, fields))) setError(failure)
      return undefined
    } finally {
      setBusy(false)
    }
  }

  return { isBusy, errors, error, run }
}
