import type { FailedAttempt, FailedRequest } from "./failure-log.ts"

/** The columns of a failed request, in the order of `requestValues`. */
export const REQUEST_COLUMNS =
  "request, at, endpoint, status, kind, parameter, message, account, key, model"
/** The columns of a failed attempt, in the order of `attemptValues`. */
export const ATTEMPT_COLUMNS = "request, at, deployment, status, kind, code, message"

/** A row with whole numbers as the databases give them. */
export type NumberedRow<Failure extends FailedRequest | FailedAttempt> = Omit<
  Failure,
  "at" | "status"
> & { readonly at: bigint; readonly status: bigint }

export function requestValues(failed: FailedRequest): (string | bigint | null)[] {
  const { request, at, endpoint, status, kind, parameter, message, account, key, model } = failed
  return [
    request,
    BigInt(at),
    endpoint,
    BigInt(status),
    kind,
    parameter,
    message,
    account,
    key,
    model,
  ]
}

export function attemptValues(failed: FailedAttempt): (string | bigint | null)[] {
  const { request, at, deployment, status, kind, code, message } = failed
  return [request, BigInt(at), deployment, BigInt(status), kind, code, message]
}

/** A row of either table with plain numbers. */
export function failureFromRow<Failure extends FailedRequest | FailedAttempt>(
  row: NumberedRow<Failure>,
): Failure {
  return { ...row, at: Number(row.at), status: Number(row.status) } as unknown as Failure
}
