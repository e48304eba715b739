import { type JsonObject, objectAt } from "../../canon/json.ts"
import type { CacheMarker } from "../../canon/message.ts"
import type { LossList } from "../shared/losses.ts"
import type { ModelFamily } from "./quirks.ts"

/** Writes the cache points of a request whose caller set cache markers. */
export class CachePoints {
  readonly #family: ModelFamily
  readonly #losses: LossList

  constructor(family: ModelFamily, losses: LossList) {
    this.#family = family
    this.#losses = losses
  }

  /**
   * Inserts a cache point after the last block. Bedrock rejects a point at the start, and a point right after another
   * point.
   */
  mark(
    blocks: JsonObject[],
    marker: CacheMarker | undefined,
    place: "prompt" | "tools" = "prompt",
  ): void {
    const last = blocks.at(-1)
    if (marker === undefined || last === undefined || last.cachePoint !== undefined) return
    const { cache } = this.#family
    if (cache === "none" || (cache === "prompt" && place === "tools")) {
      this.#losses.add("cache_control")
      return
    }
    const point = { cachePoint: this.#encode(marker) }
    if (isPlainDocument(last)) this.#insertAhead(blocks, point)
    else blocks.push(point)
  }

  #encode({ ttl }: CacheMarker): JsonObject {
    if (ttl === undefined || ttl === "5m") return { type: "default" }
    if (ttl === "1h" && this.#family.longCache) return { type: "default", ttl }
    this.#losses.add("cache_control", "approximated")
    return { type: "default" }
  }

  /** Inserts the cache point before a document. Bedrock fails on a point directly after a document other than a PDF. */
  #insertAhead(blocks: JsonObject[], point: JsonObject): void {
    const before = blocks.at(-2)
    if (before === undefined) {
      this.#losses.add("cache_control")
      return
    }
    this.#losses.add("cache_control", "approximated")
    if (before.cachePoint === undefined) blocks.splice(-1, 0, point)
  }
}

function isPlainDocument(block: JsonObject): boolean {
  const document = objectAt(block, "document")
  return document !== undefined && document.format !== "pdf"
}
