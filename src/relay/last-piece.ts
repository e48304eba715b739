/**
 * A body that is passed on as it comes, but for its last piece, which goes out only when `beforeLast`
 * has resolved: its charge is on disk by then.
 * @param onLeft the caller stopped reading before the end.
 */
export function keepLastPiece(
  body: ReadableStream<Uint8Array>,
  beforeLast: () => Promise<void>,
  onLeft: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let kept: Uint8Array | undefined
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) {
          await beforeLast()
          if (kept) controller.enqueue(kept)
          controller.close()
          return
        }
        const before = kept
        kept = value
        if (before) {
          controller.enqueue(before)
          return
        }
      }
    },
    async cancel(reason) {
      await reader.cancel(reason)
      await onLeft()
    },
  })
}
