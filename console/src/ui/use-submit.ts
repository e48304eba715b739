import { useState } from "react"
import { ApiError } from "../api/api-error.ts"
import { useRequestKeys } from "../api/idempotency-key.ts"

/** The part of a form from `@mantine/form` that shows errors. */
export interface FormErrors<Values> {
  readonly setErrors: (errors: Record<string, string>) => void
  /** Returns the form's values, whose names are the form's fields. */
  readonly getValues: () => Values
}

export interface Submit<Values> {
  readonly submit: (values: Values) => Promise<void>
  readonly isBusy: boolean
  /** An error without a matching field, to be shown above the button. */
  readonly error: unknown
}

/**
 * Submits a form. Errors that name a field are shown next to the field, other errors are returned as `error`.
 * @param send throws `ApiError` if the gateway rejects the request. It receives the idempotency key, so that a form
 * that is submitted again is not executed twice.
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

/** Shows errors next to their fields. Reports whether every error has a field. */
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
