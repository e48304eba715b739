/** Creates a request id. Ids increase over time, so that the ledger's index only grows at its end. */
export function newRequestId(): string {
  return `req_${Bun.randomUUIDv7()}`
}
