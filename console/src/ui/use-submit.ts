import { useState } from "react"
import { ApiError } from "../api/api-error.ts"
import { useRequestKeys } from "../api/idempotency-key.ts"

/** The part of a form of `@mantine/form` that errors are shown in. */
export interface FormErrors<Values> {
  readonly setErrors: (errors: Record<string, string>) => void
  /** Names of the form's own fields. */
  readonly getValues: () => Values
}

export interface Submit<Values> {
  readonly submit: (values: Values) => Promise<void>
  readonly isBusy: boolean
  /** What belongs to no field of the form; show it above the button. */
  readonly error: unknown
}

/**
 * Sends a form. Errors that name a field are shown next to it, the others as `error`.
 * @param send throws `ApiError` when the gateway refuses. It is given the key under which the form may be
 * sent again without being done twice.
 */
export function useSubmit<Values extends object>(
  form: FormErrors<Values>,
  send: (values: Values, idempotencyKey: string) => Promise<unknown>,
): Submit<Values> {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const keys = useRequestKeys()

  async function submit(values: Values): Promise<void> {
    setBusy(true)
    setError(null)
    try {
      await send(values, keys.current)
    } catch (thrown) {
      const failure = keys.failed(thrown)
      setError(showDocked(form, failure) ? null : failure)
    } finally {
      setBusy(false)
    }
  }

  return { submit, isBusy, error }
}

/** Whether every fault found its field. */
function showDocked<Values extends object>(form: FormErrors<Values>, thrown: unknown): boolean {
  if (!(thrown instanceof ApiError)) return false
  const names = Object.keys(form.getValues())
  const fieldErrors: Record<string, string> = {}
  let isAll = true
  for (const [field, message] of Object.entries(thrown.fields)) {
    const name = names.find(
      (name) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
    )
    if (name === undefined) isAll = false
    else fieldErrors[name] = message
  }
  form.setErrors(fieldErrors)
  return isAll && Object.keys(fieldErrors).length > 0
}
