import type { Kind, Passage } from "./passage.ts"

/** A construction that readers have to parse twice. */
export interface Construction {
  readonly pattern: RegExp
  /** The suggested wording, for the author of the phrase. */
  readonly instead: string
  /** The only kind of text to which the construction applies; all kinds if absent. */
  readonly kind?: Kind
  /** Whether the construction applies only to comments that document a declaration. */
  readonly inDocumentation?: true
  /** Reports whether a match is idiomatic and is not a finding. */
  readonly except?: (match: Match) => boolean
}

interface Match {
  readonly phrase: string
  readonly before: string
  readonly after: string
}

/** Number of characters around a match that determine whether it is idiomatic. */
const CONTEXT = 160

/** Matches the beginning of a sentence, of a clause after a semicolon, or of the description of a tag. */
const START = /(?:^\s*|[.:;!?]\s+|@returns\s+|@param\s+[\w.]+\s+|@throws\s+)$/
/** Matches verbs of people, and comparisons. A clause after them is idiomatic, as in "shows what would change". */
const INDIRECT =
  /\b(?:above|below|beyond|half of|at most|at least|exactly|no matter|ask|check|decides?|explains?|find out|guess|know|means?|reports?|sees?|shows?|shown|understand)\s+$/i
const NOUN = "name the thing: 'stored data', not 'what is stored'"
const CONDITION = "write 'if', 'when' or 'unless'; 'where' is a place"
const ACTOR = "name the actor or the thing"

/** Matches people, and texts that state something. They can be subjects of "know", "want" and "say". */
const SPEAKER =
  /\b(?:accountants?|administrators?|attackers?|authors?|callers?|clients?|colleagues?|contributors?|customers?|developers?|humans?|maintainers?|members?|operators?|owners?|payers?|people|persons?|readers?|reviewers?|staff|testers?|users?|visitors?|I|they|we|who|you|docs|documentation|guide|licence|manual|page|README|reference|RFC \d+|specification|standard|tables?|\S+\.md)(?: (?:also|already|always|can|could|did|do|does|does not|may|might|must|never|not|often|only|should|then|to|usually|will|would)){0,3}\s+$/i
/** Matches models, which can be subjects of "speak" and "think", because this program processes conversations. */
const MODEL =
  /\b(?:answers?|assistants?|claude|gemini|models?|speakers?|voices?|it)(?: (?:also|always|can|may|never|only|then|will)){0,2}\s+$/i
const MODAL =
  "(?:can|cannot|could|does|did|do|may|might|must|should|will|would) (?:not |never |only |also )?"
const LOOK = "(?= (?:after|again|at|back|for|in|into|once|there|through|whether)\\b|[,.;])"
/**
 * Matches a verb. Determiners and pronouns are excluded: "is to the left" is about a place, "is to leave" is an order.
 */
const VERB =
  "(?!be\\b|an?\\b|its?\\b|the\\b|their\\b|other\\b|another\\b|this\\b|that\\b|those\\b|these\\b|each\\b|every\\b|one\\b|our\\b|us\\b|them\\b)[a-z]+(?<!ing|ed)\\b"

/** Replaces each space of a pattern with any white space, because phrases may continue on the next line. */
function phrase(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll(" ", String.raw`\s+`), "gi")
}

export const CONSTRUCTIONS: readonly Construction[] = [
  {
    pattern: phrase(String.raw`\bwhat(?:ever)? (?!(?:to|happens|happened|kind)\b)[a-z']+`),
    instead: NOUN,
    except: ({ before, after }) => isQuestion(after) || INDIRECT.test(before),
  },
  { pattern: /\b(?:whoever|whomever)\b/gi, instead: ACTOR },
  {
    pattern: phrase(String.raw`\b(?:about|after|at|by|for|from|of|on|than|to|with) who\b(?: \w+)?`),
    instead: ACTOR,
    except: ({ after }) => isQuestion(after),
  },
  {
    pattern: phrase(String.raw`\bwho \w+`),
    instead: ACTOR,
    except: ({ before, after }) => !START.test(before) || isQuestion(after),
  },
  {
    pattern: phrase(
      String.raw`\bwhere (?:there|none|nobody|no|neither|nothing)\b|\b(?:undefined|absent|null|none|only|also|even|not|except|but|empty|false|true) where\b`,
    ),
    instead: CONDITION,
  },
  {
    pattern: phrase(
      String.raw`\bwhere (?:an?|its?|the|they|each|one|that|this|several|both)\b[^.?]{0,120},`,
    ),
    instead: CONDITION,
    except: ({ before }) => !START.test(before),
  },
  {
    pattern: phrase(
      String.raw`, where (?:it|they|an?|the|one|its|that)(?: [\w']+)? (?:is|are|has|have|does|do|can|may)\b`,
    ),
    instead: CONDITION,
  },
  {
    pattern: phrase(String.raw`\b(?:nobody|no one|no-one)(?:'s)?\b`),
    instead: "name the people: 'no client', 'no operator', 'without a reader'",
  },
  {
    pattern: phrase(String.raw`\bnone\b(?! of\b)`),
    instead: "name the thing: 'no price', 'without usage', 'if the list is empty'",
    except: ({ before, after }) =>
      (before.trim() === "" && /^\s*(?:[(.]|$)/.test(after)) ||
      /(?:[:(|=]\s*|\bif\s+|\bor\s+|\bthere (?:is|are|was|were)\s+)$/i.test(before),
  },
  {
    pattern: phrase(String.raw`\bof (?:which|whom)\b`),
    instead: "start a new sentence, or write 'whose'",
    except: ({ before }) => /\b(?:all|both|each|many|most|one|some)\s+$/i.test(before),
  },
  {
    pattern: phrase(String.raw`\bsuch as (?:is|are|was|were|has|have|can|may|do|does)\b`),
    instead: ACTOR,
  },
  {
    pattern: phrase(
      String.raw`\b(?:is|are|was|were) (?:not )?to be\b(?: \w+)?|\b(?:is|are|was|were) (?:not )?to ${VERB}`,
    ),
    instead: "write 'must', 'may', 'will' or the plain verb",
    except: ({ before }) =>
      /\b(?:aim|default|effect|fix|goal|job|only|point|purpose|reason|remedy|rule|way|work)\s+$/i.test(
        before,
      ),
  },
  {
    pattern: phrase(
      String.raw`\b(?:tells|told|hears|heard|knows|knew|says|said|learns|looks${LOOK}|looked${LOOK}|thinks|wants|wanted)\b|\b${MODAL}(?:tell|hear|know|say|learn|look${LOOK}|think|want)\b`,
    ),
    instead: "code returns, receives, reads, logs, reports, stores or requires",
    except: ({ phrase, before }) =>
      SPEAKER.test(before) ||
      /@param\s+$/.test(before) ||
      (/(?:think|sa(?:y|id)|hear|learn)/i.test(phrase) && MODEL.test(before)),
  },
  {
    pattern: phrase(String.raw`\bso (?:many|much|often|few|long)\b(?! (?:that|as)\b)(?: \w+)?`),
    instead: "name the number: 'this many', 'limit', 'the given time'",
    except: ({ before, after }) => /,\s*$/.test(before) || /^[^.;:]{0,60}\bthat\b/.test(after),
  },
  {
    pattern: phrase(
      String.raw`^\s*(?:of|which|how (?:many|much|long|often|far|late|early)|that (?:of|is|are|was|which)|than|whom)\b(?: [\w']+)?`,
    ),
    instead: "start with a noun ('Number of ...') or a verb phrase ('Returns ...')",
    inDocumentation: true,
  },
]

/** Whether a sentence ends in a question mark. */
function isQuestion(after: string): boolean {
  return /^[^.!]*\?/.test(after)
}

/** Returns the matches of a construction in a passage. */
export function matchesOf(
  passage: Passage,
  construction: Construction,
): { offset: number; phrase: string }[] {
  const { text, kind, isDocumentation } = passage
  const { pattern, except, kind: only, inDocumentation } = construction
  if (only !== undefined && only !== kind) return []
  if (inDocumentation === true && isDocumentation !== true) return []
  return [...text.matchAll(pattern)]
    .filter(({ 0: found, index }) => {
      const end = index + found.length
      const before = text.slice(Math.max(0, index - CONTEXT), index)
      return except?.({ phrase: found, before, after: text.slice(end, end + CONTEXT) }) !== true
    })
    .map(({ 0: found, index }) => ({ offset: index, phrase: found.trim().replaceAll(/\s+/g, " ") }))
}
