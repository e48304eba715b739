import type { ChatRequest } from "../../canon/chat.ts"
import type { FilePart, ImagePart, MediaSource, Part } from "../../canon/message.ts"
import type { UpstreamDialect } from "../../canon/dialect.ts"
import { ownTurn } from "../../canon/next-turn.ts"
import { fetchMedia, type MediaLimits, type MediaMemory } from "../../media/fetch-media.ts"

type Media = ImagePart | FilePart

/** Maximum fetches that start in one turn of the event loop. */
const FETCHES_PER_TURN = 32

/** Whether a request links images or files whose addresses the dialect's vendors do not accept. */
export function needsInlining(request: ChatRequest, dialect: UpstreamDialect): boolean {
  const { supports } = dialect
  const isTaken = { image: supports["image.url"], file: supports["file.url"] }
  if (isTaken.image === "carried" && isTaken.file === "carried") return false
  return mediaOf(request).some((part) => isRemote(part) && isTaken[part.type] === "approximated")
}

/**
 * Returns the request with all linked media fetched and embedded.
 * @throws GatewayError that names the media that could not be fetched.
 */
export async function withInlineMedia(
  request: ChatRequest,
  limits: MediaLimits,
  memory: MediaMemory,
): Promise<ChatRequest> {
  const urls = new Set(mediaOf(request).flatMap((part) => addressOf(part) ?? []))
  const fetching: Promise<readonly [string, MediaSource]>[] = []
  let hasFailed = false
  for (const url of urls) {
    if (hasFailed) break
    if (fetching.length > 0 && fetching.length % FETCHES_PER_TURN === 0) await ownTurn()
    const fetched = fetchMedia(url, limits, memory).then((source) => [url, source] as const)
    fetched.catch(() => (hasFailed = true))
    fetching.push(fetched)
  }
  return withSources(request, new Map(await Promise.all(fetching)))
}

/** Returns the request with placeholders for the media, for estimates. */
export async function withMediaPlaceholders(request: ChatRequest): Promise<ChatRequest> {
  const urls = mediaOf(request).flatMap((part) => {
    const url = addressOf(part)
    return url === undefined ? [] : [[url, STAND_INS[part.type]] as const]
  })
  return withSources(request, new Map(urls))
}

/** An image and a file that encoders accept like real ones. */
const STAND_INS: Readonly<Record<Media["type"], MediaSource>> = {
  image: { type: "base64", mediaType: "image/png", data: "iVBORw0KGgo=" },
  file: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
}

function withSources(request: ChatRequest, fetched: ReadonlyMap<string, MediaSource>): ChatRequest {
  const inline = <P extends Part>(part: P): P => {
    const url = isMedia(part) ? addressOf(part) : undefined
    const source: MediaSource | undefined = url === undefined ? undefined : fetched.get(url)
    return source === undefined ? part : { ...part, source }
  }
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-result" ? { ...part, content: part.content.map(inline) } : inline(part),
    ),
  }))
  return { ...request, messages }
}

function mediaOf(request: ChatRequest): Media[] {
  const media: Media[] = []
  const note = (part: Part): void => {
    if (isMedia(part)) media.push(part)
    else if (part.type === "tool-result") for (const inside of part.content) note(inside)
  }
  for (const message of request.messages) for (const part of message.parts) note(part)
  return media
}

function isMedia(part: Part): part is Media {
  return part.type === "image" || part.type === "file"
}

function isRemote(part: Media): boolean {
  return addressOf(part) !== undefined
}

function addressOf({ source }: Media): string | undefined {
  return source.type === "url" && /^https?:/i.test(source.url) ? source.url : undefined
}
