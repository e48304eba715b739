/** Resolves once the event loop has turned: what waits on sockets has had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** There is one event loop, so there is one line of those that hold it. */
let last = Promise.resolve()

/** Resolves in a turn of the event loop that no other caller of this has: what takes long there is done one at a time. */
export function ownTurn(): Promise<void> {
  last = last.then(nextTurn)
  return last
}
