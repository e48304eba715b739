const REDACTED = "[redacted]"

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.source
/** Matches the end of a name with the separator before its value: ` ID: `, `_id="`. */
const SEPARATOR = /["'`]?\s{0,3}[:=]\s{0,3}["'`]?/.source
/** Matches a value up to the next separator. */
const VALUE = /(?!\[redacted\])(?:\[[^\]]{1,300}\]|[^\s"'`,;()[\]{}=]{1,300})/.source
/** Matches names of fields in messages of routers, such as LiteLLM's `deployment_id=9f`. */
const FIELDS =
  /\b(?:(?:(?:api|virtual)[ _-]?)?key[ _-](?:id|name|alias|hash)|(?:team|org(?:ani[sz]ation)?|project|workspace|tenant|account|subscription|deployment)[ _-](?:id|alias)|(?:received )?model[ _]group|available model group fallbacks)/
    .source

/** Each pattern matches an id or address of the operator, and captures the preceding words, which are kept. */
const OPERATOR_IDS: readonly RegExp[] = [
  new RegExp(`(${FIELDS}=["'\`]?)${VALUE}`, "gi"),
  // After a name and a colon, only a value with a digit is an id. Other text may be an error about a field of the
  // request.
  new RegExp(`(${FIELDS}["'\`]?:\\s{0,3}["'\`]?)(?=[\\w-]{0,80}\\d)[\\w-]{8,200}`, "gi"),
  new RegExp(`(\\b(?:api[ _]base|base[ _]url)${SEPARATOR})[a-z]{2,5}://[^\\s"'\`<>)]{1,300}`, "gi"),
  new RegExp(
    `(\\b(?:team|org(?:ani[sz]ation)?|project|workspace|tenant|account|subscription|api key|deployment)(?:s[/ ]|${SEPARATOR}|[/ ]["'\`]?))(?:${UUID}|[\\da-f]{24,64}(?![\\da-z]))`,
    "gi",
  ),
  /()\b(?:org|proj|team|wrkspc|acct)[-_](?=[a-z]{0,40}\d)[a-z\d]{12,64}(?![a-z\d])/gi,
  /()\bsk-(?=[\w-]{0,80}[\d*])[\w*-]{8,200}/g,
  /()\barn:aws[\w:./*-]{1,300}/g,
  /()\b[\w.-]{1,100}@[\w.-]{1,100}\.gserviceaccount\.com\b/g,
  /(\bprojects\/)(?!\[)[\w.:-]{1,80}(?=\/locations\/[\w-]{1,40}\/(?!cachedContents))/g,
  // Addresses of the operator's resources, and of servers in private networks.
  /()\bhttps?:\/\/[\w-]{1,63}\.(?:openai|services\.ai|cognitiveservices)\.azure\.com\b[^\s"'`<>)]{0,300}/gi,
  /()\b(?:https?|wss?):\/\/(?:localhost|[\w-]{1,63}(?=[:/])|(?:[\w-]{1,63}\.){1,8}(?:internal|local|localdomain|lan|svc)|127(?:\.\d{1,3}){3}|10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2})(?=[:/\s"'`<>),]|$)[^\s"'`<>)]{0,300}/gi,
]

/** Removes ids of the operator's accounts, and addresses of the operator's servers, from a provider's text. */
export function withoutOperatorIds(text: string): string {
  return OPERATOR_IDS.reduce((kept, pattern) => kept.replace(pattern, `$1${REDACTED}`), text)
}
