/** Resolves once the event loop has turned: what waits on sockets has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
