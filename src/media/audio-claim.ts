import type { FormFile } from "../canon/form-file.ts"

/** The longest that a file is searched for its length, milliseconds. */
const LOOKING_TIME = 500

/** The duration that a file claims, in seconds, true or not; undefined when it claims none. */
export async function claimedSeconds(
  file: FormFile,
  mediaType: string,
): Promise<number | undefined> {
  // Loaded with the first audio: most gateways never see any.
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
    // Whether it can be played is for the vendor to decide.
    return undefined
  }
}

/** The file, for a limited time: a hostile one can consist of a great many tiny parts. */
function limited(file: FormFile): ReadableStream<Uint8Array> {
  const reader = file.open().getReader()
  const deadline = Date.now() + LOOKING_TIME
  return new ReadableStream({
    async pull(controller) {
      if (Date.now() > deadline) throw new Error("the file took too long to parse")
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
