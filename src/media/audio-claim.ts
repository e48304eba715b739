import type { FormFile } from "../canon/form-file.ts"

/** How long a file may keep us looking for its length, milliseconds. */
const LOOKING_TIME = 500

/** Seconds that a file says it lasts, true or not; undefined when it does not say. */
export async function claimedSeconds(
  file: FormFile,
  mediaType: string,
): Promise<number | undefined> {
  // Loaded when the first sound comes: most gateways never see one.
  const { parseWebStream } = await import("music-metadata")
  const content = limited(file)
  try {
    const { format } = await parseWebStream(
      content,
      { mimeType: mediaType, size: file.size },
      { duration: false, skipCovers: true, skipPostHeaders: true },
    )
    const { duration } = format
    return duration !== undefined && Number.isFinite(duration) && duration > 0
      ? duration
      : undefined
  } catch {
    // Whether it can be heard is for the vendor to say.
    return undefined
  }
}

/** The file, for as long as is looked at it: a hostile one can be of very many very small parts. */
function limited(file: FormFile): ReadableStream<Uint8Array> {
  const reader = file.open().getReader()
  const deadline = Date.now() + LOOKING_TIME
  return new ReadableStream({
    async pull(controller) {
      if (Date.now() > deadline) throw new Error("the file took too long to look at")
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
