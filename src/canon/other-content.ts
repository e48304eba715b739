import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/** Minimum characters of a text that is checked for base64. Encoded media are always longer. */
const LONG = 256
const BASE64 = /^[A-Za-z0-9+/_-]+$/
const DATA_URL = /^data:([a-z]+)\/[^,]{0,200},/i

/** Matches the first base64 characters of images: PNG, JPEG, GIF. */
const IMAGE = /^(iVBORw0K|\/9j\/|R0lGOD)/
/** Matches the first base64 characters of compressed audio: ID3 and MP3 frames, Ogg, FLAC. */
const PACKED_SOUND = /^(SUQz|\/\/[a-z]|T2dnUw|ZkxhQ)/
/** The members of an object that can name the media type of its `data`. */
const TYPE_NAMES = ["type", "mimeType", "mime_type", "media_type", "format"] as const

/**
 * Measures content of a response that no event contains: audio, images, output and results of the vendor's own tools,
 * and unknown fields. The model generated this content, or the vendor bills it. Each dialect's decoder adds such
 * content, and billing estimates usage from it if a vendor does not report usage.
 */
export class OtherContent {
  /** Characters of text and of JSON. */
  characters = 0
  /** The number of `characters` that represent hidden reasoning. */
  reasoningCharacters = 0
  /** Bytes of uncompressed audio. */
  soundBytes = 0
  /** Bytes of compressed audio. */
  packedSoundBytes = 0
  images = 0
  /**
   * The counted parts of content that is sent in chunks and then again as a whole. The key is the place of the content
   * in the response.
   */
  #places: Map<number, OtherContent> | undefined

  /** A total that increases whenever content is added. */
  get amount(): number {
    return this.characters + this.soundBytes + this.packedSoundBytes + this.images
  }

  text(text: string): void {
    this.characters += text.length
  }

  /** Adds the signature of hidden reasoning. */
  hiddenReasoning(signature: string): void {
    this.reasoningCharacters += signature.length
    this.text(signature)
  }

  /**
   * Adds audio.
   * @param base64 the base64 text of a clip, or of a chunk of a clip.
   */
  sound(base64: string): void {
    const bytes = Math.floor((base64.length * 3) / 4)
    if (PACKED_SOUND.test(base64)) this.packedSoundBytes += bytes
    else this.soundBytes += bytes
  }

  image(): void {
    this.images++
  }

  /**
   * Adds any value. Media are counted by their type, and all other content by its characters. Names are counted as well
   * as values.
   */
  json(value: JsonValue | undefined): void {
    const open: (JsonValue | undefined)[] = [value]
    while (open.length > 0) {
      const next = open.pop()
      if (typeof next === "string") this.#string(next, "")
      else if (Array.isArray(next)) for (const item of next) open.push(item)
      else if (isJsonObject(next)) this.#object(next, open)
      else if (next !== undefined && next !== null) this.characters += String(next).length
    }
  }

  /** Adds a chunk of content that will be sent again as a whole. */
  chunkAt(place: number, add: (content: OtherContent) => void): void {
    const chunk = new OtherContent()
    add(chunk)
    this.#placeOf(place).add(chunk)
    this.add(chunk)
  }

  /**
   * Adds content that is sent as a whole. Chunks of it may have been counted already, so only the difference is added.
   */
  wholeAt(place: number, value: JsonValue | undefined): void {
    const whole = new OtherContent()
    whole.json(value)
    const reported = this.#placeOf(place)
    const fresh = new OtherContent()
    fresh.characters = Math.max(0, whole.characters - reported.characters)
    fresh.soundBytes = Math.max(0, whole.soundBytes - reported.soundBytes)
    fresh.packedSoundBytes = Math.max(0, whole.packedSoundBytes - reported.packedSoundBytes)
    fresh.images = Math.max(0, whole.images - reported.images)
    reported.add(fresh)
    this.add(fresh)
  }

  add(other: OtherContent): void {
    this.characters += other.characters
    this.reasoningCharacters += other.reasoningCharacters
    this.soundBytes += other.soundBytes
    this.packedSoundBytes += other.packedSoundBytes
    this.images += other.images
  }

  #placeOf(place: number): OtherContent {
    this.#places ??= new Map()
    let reported = this.#places.get(place)
    if (reported === undefined) {
      reported = new OtherContent()
      this.#places.set(place, reported)
    }
    return reported
  }

  #object(object: JsonObject, open: (JsonValue | undefined)[]): void {
    for (const key in object) {
      const value = object[key]
      if (value === undefined || isEmpty(value)) continue
      this.characters += key.length
      if (key === "data" && typeof value === "string") this.#string(value, typeOf(object))
      else open.push(value)
    }
  }

  #string(text: string, type: string): void {
    if (text.length < LONG) return type === "audio" ? this.sound(text) : this.text(text)
    const [head = "", kind = type] = DATA_URL.exec(text.slice(0, LONG)) ?? []
    const beginning = text.slice(head.length, head.length + LONG)
    if (!BASE64.test(beginning)) this.text(text)
    else if (kind === "image" || IMAGE.test(beginning)) this.image()
    else if (kind === "audio") this.sound(text.slice(head.length))
    else this.text(text)
  }
}

/** Reports whether announced content is still empty. */
function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true
  if (typeof value !== "object") return false
  for (const _ in value) return false
  return true
}

/**
 * Returns the type of an object's `data`. OpenAI's audio has no type; it is recognized by the transcript next to it.
 */
function typeOf(object: JsonObject): string {
  for (const name of TYPE_NAMES) {
    const value = object[name]
    const [kind] = typeof value === "string" ? (/audio|image/.exec(value) ?? []) : []
    if (kind !== undefined) return kind
  }
  return object["transcript"] === undefined && object["expires_at"] === undefined ? "" : "audio"
}
