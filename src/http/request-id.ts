/** Creates a request id. Ids increase with time, so that the ledger's index grows only at its end. */
export function newRequestId(): string {
  return `req_${Bun.randomUUIDv7()}`
}
