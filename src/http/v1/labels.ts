import { GatewayError } from "../../canon/errors.ts"
import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../canon/json.ts"
import {
  type Labels,
  MAX_LABEL_LENGTH,
  MAX_TAG_NAME_LENGTH,
  MAX_TAGS,
} from "../../accounting/labels.ts"

const TAGS = "x-tollgate-tags"
const USER = "x-tollgate-user"

/**
 * Headers that may contain a session id: the gateway's own, followed by those of Claude Code, Codex (newer, older),
 * opencode and others.
 */
const SESSIONS = [
  "x-tollgate-session",
  "x-claude-code-session-id",
  "session-id",
  "session_id",
  "x-opencode-session",
  "x-session-id",
]

/** Body members with custom names and values: `metadata` in OpenAI's and Anthropic's requests, `labels` in Google's. */
const METADATA = ["metadata", "labels"]

/** Maximum length of the user name or id that agents send. */
const MAX_USER_LENGTH = 512
const SESSION_MARK = "_session_"
const ACCOUNT_MARK = "_account_"
const WORD = /^[\w-]*$/
const TAG_NAME = /^[\w.:/-]+$/
const CONTROL = /\p{Cc}/u

/**
 * Reads the labels of a request: user, session and tags. Headers take precedence over the body. Values in the body are
 * shortened, because they are written for other purposes.
 * @param body the body, if it is JSON.
 * @throws GatewayError `invalid_value` for an invalid header of the gateway.
 */
export function labelsOf(headers: Headers, body: JsonObject | undefined): Labels | undefined {
  const named = userOf(headers, body)
  const session = sessionOf(headers) ?? named?.session
  const tags = tagsOf(headers, body)
  if (named === undefined && session === undefined && tags === undefined) return undefined
  return {
    ...(named && { user: named.user }),
    ...(session !== undefined && { session }),
    ...(tags && { tags }),
  }
}

function userOf(headers: Headers, body: JsonObject | undefined): Labels | undefined {
  const own = headerOf(headers, USER)
  if (own !== undefined) return { user: own }
  if (body === undefined) return undefined
  const { user, safety_identifier, metadata } = body
  const text =
    shortened(user, MAX_USER_LENGTH) ??
    shortened(safety_identifier, MAX_USER_LENGTH) ??
    (isJsonObject(metadata) ? shortened(metadata.user_id, MAX_USER_LENGTH) : undefined)
  return text === undefined ? undefined : splitUser(text)
}

/**
 * Splits the user that Claude Code sends into a user and a session. The text is `user_…_account_…_session_…`, or the
 * same values as JSON.
 */
function splitUser(text: string): Labels {
  const [user, session] = markedUser(text) ?? jsonUser(text)
  return {
    user: cut(user ?? text),
    ...(session !== undefined && { session: cut(session) }),
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_LABEL_LENGTH).toWellFormed()
}

function markedUser(text: string): readonly string[] | undefined {
  const sessionAt = text.indexOf(SESSION_MARK, 1)
  const session = text.slice(sessionAt + SESSION_MARK.length)
  if (sessionAt < 0 || session === "" || !WORD.test(session)) return undefined
  const before = text.slice(0, sessionAt)
  const accountAt = before.indexOf(ACCOUNT_MARK, 1)
  const hasAccount = accountAt > 0 && WORD.test(before.slice(accountAt + ACCOUNT_MARK.length))
  return [hasAccount ? before.slice(0, accountAt) : before, session]
}

function jsonUser(text: string): readonly string[] {
  if (!text.startsWith("{")) return []
  const { device_id: device, session_id: session } = parseJsonObject(text) ?? {}
  return typeof device === "string" && typeof session === "string" ? [device, session] : []
}

function sessionOf(headers: Headers): string | undefined {
  for (const name of SESSIONS) {
    const session = shortened(headers.get(name), MAX_LABEL_LENGTH)
    if (session !== undefined) return session
  }
  return undefined
}

function tagsOf(
  headers: Headers,
  body: JsonObject | undefined,
): Readonly<Record<string, string>> | undefined {
  const header = headers.get(TAGS)
  let tags: Map<string, string> | undefined
  if (header !== null) readTags(header, (tags = new Map()))
  for (const name of METADATA) {
    const member = body?.[name]
    if (isJsonObject(member)) addMetadata(member, (tags ??= new Map()))
  }
  return tags === undefined || tags.size === 0 ? undefined : Object.fromEntries(tags)
}

function readTags(header: string, tags: Map<string, string>): void {
  for (const part of header.split(",")) {
    if (part.trim() === "") continue
    const sign = part.indexOf("=")
    const name = part.slice(0, Math.max(0, sign)).trim()
    const value = part.slice(sign + 1).trim()
    if (!TAG_NAME.test(name) || value === "" || CONTROL.test(value)) {
      throw rejected(TAGS, "is a list such as 'feature=search, team=blue'")
    }
    if (name.length > MAX_TAG_NAME_LENGTH || value.length > MAX_LABEL_LENGTH) {
      throw rejected(
        TAGS,
        `accepts at most ${MAX_TAG_NAME_LENGTH} characters in a name and ${MAX_LABEL_LENGTH} in a value`,
      )
    }
    tags.set(name, value)
  }
  if (tags.size > MAX_TAGS) throw rejected(TAGS, `accepts at most ${MAX_TAGS} tags`)
}

/** Adds the metadata as tags. Tags in the header take precedence, and tags above the maximum number are omitted. */
function addMetadata(metadata: JsonObject, tags: Map<string, string>): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (tags.size >= MAX_TAGS) return
    if (name === "user_id" || name.length > MAX_TAG_NAME_LENGTH || tags.has(name)) continue
    const text = shortened(value, MAX_LABEL_LENGTH)
    if (text !== undefined && isTagName(name)) tags.set(name, text.replaceAll(",", " "))
  }
}

function isTagName(name: string): boolean {
  return (
    name !== "" &&
    name !== "__proto__" &&
    !name.includes("=") &&
    !CONTROL.test(name) &&
    name.isWellFormed()
  )
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  if (value === null || value === "") return undefined
  if (value.length > MAX_LABEL_LENGTH || CONTROL.test(value)) {
    throw rejected(name, `accepts at most ${MAX_LABEL_LENGTH} characters`)
  }
  return value
}

/**
 * Returns a non-empty text without line breaks, shortened to the maximum length; undefined if the value is not such a
 * text.
 */
function shortened(value: JsonValue | undefined, maxLength: number): string | undefined {
  if (typeof value !== "string") return undefined
  // Shortening may split a character into halves, and databases reject such text.
  const text = value.slice(0, maxLength).toWellFormed().trim()
  return text === "" || CONTROL.test(text) ? undefined : text
}

function rejected(parameter: string, reason: string): GatewayError {
  return new GatewayError("invalid_value", `The header '${parameter}' ${reason}.`, { parameter })
}
