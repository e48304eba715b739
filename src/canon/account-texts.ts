import type { ProviderErrorKind } from "./provider-error-kinds.ts"
import { PROVIDER_ERRORS } from "./provider-errors/index.ts"

/** Maximum characters that are read of all texts of an error together. */
const MAX_READ_CHARACTERS = 8_192
/** Maximum positions, in all texts together, at which a known message is searched for. */
const MAX_STARTS = 300
/** Maximum characters that are compared with a known message. */
const MAX_START_CHARACTERS = 200
/** Maximum length of a sentence about the account. Longer ones may contain the caller's text. */
const MAX_SENTENCE_CHARACTERS = 300

/** Kinds of errors about the operator's account, which callers do not see. */
const ACCOUNT_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  "account",
  "credential",
  "permission",
  "forbidden",
])
const ACCOUNT_RULES = PROVIDER_ERRORS.filter(({ kind }) => ACCOUNT_KINDS.has(kind))
const ACCOUNT_CODES: ReadonlySet<string> = new Set(ACCOUNT_RULES.flatMap(({ codes = [] }) => codes))
const ACCOUNT_MESSAGES = alternatives(
  ACCOUNT_RULES.flatMap(({ message }) => message ?? []),
  "iy",
)

/** Matches text after which a router may quote the error of the provider that it called. */
const BEFORE_MESSAGE = /[.!?:;=>\])}({"`“‘«「。：-]\s*|(?<!\w)'|\b\d{3}\s+|\n\s*/g
const SENTENCE_END = /(?<=[.!?:])\s+|[。！？\n]/

const QUOTE = /(?:"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w))/.source
/**
 * Matches quotes from the caller's request, by the words before and after them. All other quotes may contain the error
 * of the provider that a router called.
 */
const CALLER_QUOTES = new RegExp(
  `(?<=(?:\\b(?:values?|parameters?|arguments?|attributes?|options?|keys?|tools?|functions?|names?|propert(?:y|ies)|fields?|members?|roles?|types?|inputs?|strings?|tokens?|characters?|urls?|float|integer|number|got|received|found|given|be|are|of|or|than|parse|read|convert)(?:["'\`]?:)?|\\bcontext=\\(|\\(\\w{1,20}\\),)\\s{0,3})${QUOTE}(?:(?:,|,? or|,? and) ${QUOTE})*|${QUOTE}(?=\\s{1,3}(?:is (?:an?|not|too)|was|were|does not|cannot|not in)\\b)`,
  "gi",
)

/** Matches wording about the operator's account, with or without the name of its owner. */
const ACCOUNT_WORDS = alternatives(
  [
    // Wording such as "your account", which means the account of the gateway's operator.
    /\b(?:your|this|our|the current) (?:[\w-]+ ){0,2}(?:accounts?|api keys?|balance|budget|credentials?|credits?|org|organi[sz]ations?|plans?|projects?|quota|resource|subscriptions?|team|tenant|tier|usage|wallet|workspace)\b(?! (?:of|polic\w+|guidelines|terms)\b)/,
    /\byou(?: have|'ve| are|'re) (?:[\w-]+ ){0,3}(?:credits?|quota|usage)\b|\byou (?:do not|don't) have (?:[\w-]+ ){0,2}(?:access|permissions?)\b/,
    // Money.
    /\bbill(?:ed|ing)\b|\b(?:credit card|prepaid|pre-?payment|pre-paid|overdue|past due|arrears|delinquent|unpaid|top[ -]up)\b/,
    /\b(?:no|out of|insufficient|not enough|add|buy|purchase|more) (?:[\w-]+ )?(?:credits|funds|balance)\b|\bcredits? (?:[\w-]+ ){0,2}(?:remaining|left|depleted|exhausted)\b/,
    /\bpayment (?:methods?|instruments?|required|declined|failed)\b|\b(?:over|exceeded|exceeds) (?:[\w'-]+ ){0,3}(?:(?<!thinking )budget|spend|quota)\b|(?<!thinking )\bbudget (?:has been |is |was )?(?:exceeded|exhausted)\b/,
    /\b(?:usage|spend(?:ing)?) (?:limits?|caps?)\b|\bhard limits? of \$|\b(?:daily|weekly|monthly) (?:[\w-]+ )?(?:allotment|allowance|budget|quota|spend(?:ing)?)\b|\bcrossed spend\b|\ballotted\b/,
    // Plans and tiers.
    /\b(?:inactive|expired|no active|invalid) (?:subscription|plan)\b|\bsubscription\b[^.]{0,80}\b(?:expired|inactive|ended|lapsed|suspended|cancell?ed)\b/,
    /\b(?:free|paid)[ -]tier\b|\btrial key\b|\bfree trial\b|\btrial (?:[\w-]+ ){0,3}(?:ended|expired|over)\b|\bupgrade to (?:a |the )?(?:[\w-]+ )?(?:account|plan|tier)\b|\blimit of plan\b/,
    /\bquota (?:exceeded|metric)\b|\bAPI calls ?(?:\/|per) ?(?:day|month|minute)\b/,
    // The state of an account, a key or a deployment.
    /\b(?:account|org|organi[sz]ation|project|team|tenant|workspace)(?: \S{1,80})? (?:has been|is|was) (?:under|restricted|disabled|suspended|deactivated|blocked|locked|delinquent)\b/,
    /\b(?:member of an|HIPAA) organi[sz]ation\b|\borg(?:ani[sz]ation)? admins?\b|\bin organi[sz]ation \S|\bin \S{1,80} org\b/,
    /\b(?:virtual|api|access|subscription|secret) keys? (?:\S{1,80} ){0,2}(?:is |was |are |has |over )(?:[\w-]+ )?(?:not|invalid|expired|revoked|disabled|reached|budget)\b|\bkey \S{1,80} has reached\b|\binvalid subscription key\b|\bclient secret\b|\bsecurity token\b|\bAADSTS\d/,
    /\b(?:resource|deployment) \S{1,80} (?:is )?(?:paused|not deployed)\b|\bdeployment for this resource\b|\bdeployment \S{1,80} is (?:paused|stopped|disabled)\b/,
    // Permissions.
    /\bnot authorized to perform\b|\bmodel access (?:is |was )?denied\b|\blacks? (?:the )?(?:[\w-]+ )?permissions?\b|\bnot have (?:[\w-]+ ){0,2}permissions?\b|\bpermission \S{1,200} denied\b/,
    /\bnot (?:enabled|activated|available) for (?:account|acct|org|organi[sz]ation|project|tenant|user|workspace)\b|\bthis model is not enabled for \S{0,80}\d|\bregion \S{1,80} is not enabled\b|\b(?:team|organi[sz]ation|project|account) \S{1,80} (?:is )?not allowed to\b|\bbeen used in project\b/,
    /\byour IP\b|\bIP (?:address )?\S{1,60} (?:is )?not\b|\bnot (?:whitelisted|allowlisted)\b/,
    // Names of the operator's accounts and resources.
    /\barn:aws\b|\b(?:org|proj|wrkspc|acct)[-_][a-z\d]{12}|\bsk-[\w-]{4}|\.gserviceaccount\.com\b|\broles\/\w{1,40}\.\w|\/subscriptions\/|\.openai\.azure\.com\b|\bprojects\/[\w.:-]{1,80}\/locations\/[\w-]{1,40}\/(?!cachedContents)/,
    // Other languages.
    /余额|欠费|额度|计费|配额|套餐|令牌分组|账[户号]|アカウント|残高|guthaben|kontostand|solde insuffisant|saldo insuficiente/,
  ],
  "i",
)

/**
 * Reports whether a text describes the operator's account, or is the code of such an error. The texts are those of an
 * error that matches no known rule.
 */
export function describeAccount(texts: readonly string[]): boolean {
  let maxCharacters = MAX_READ_CHARACTERS
  let maxStarts = MAX_STARTS
  for (const whole of texts) {
    if (maxCharacters <= 0) break
    const text = whole.slice(0, maxCharacters)
    maxCharacters -= text.length
    // A numeric code is skipped, because providers use the same number for different errors.
    if (/^[a-z][\w.:-]{0,99}$/i.test(text) && ACCOUNT_CODES.has(text.toLowerCase())) return true
    const words = text.replaceAll("’", "'").replace(CALLER_QUOTES, "''")
    if (words.split(SENTENCE_END).some(isAccountSentence)) return true
    for (const start of startsIn(words)) {
      if (maxStarts-- <= 0) break
      ACCOUNT_MESSAGES.lastIndex = 0
      if (ACCOUNT_MESSAGES.test(words.slice(start, start + MAX_START_CHARACTERS))) return true
    }
  }
  return false
}

function isAccountSentence(sentence: string): boolean {
  return sentence.length <= MAX_SENTENCE_CHARACTERS && ACCOUNT_WORDS.test(sentence)
}

function* startsIn(text: string): Generator<number> {
  yield 0
  for (const { index, 0: before } of text.matchAll(BEFORE_MESSAGE)) yield index + before.length
}

function alternatives(patterns: readonly RegExp[], flags: string): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join("|"), flags)
}
