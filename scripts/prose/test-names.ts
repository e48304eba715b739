import type { Construction } from "./constructions.ts"

const OPENER =
  "(?:and|but|or|that|because|whose|of|than|which|to|is|are|was|were|has been|have been)\\b"
/** Matches a preposition or conjunction that is not followed by a main clause after a comma or a colon. */
const PHRASE =
  "(?:after|as|at|before|by|for|from|if|in|like|on|through|until|when|with|within|without)\\b[^,:%]*$"
const AUXILIARIES =
  "am|is|are|was|were|has|have|had|do|does|did|can|cannot|could|may|might|must|should|will|would"
/** Verbs with plural subjects. They end like nouns. */
const PLURAL =
  "add|allow|answer|apply|arrive|begin|break|bring|call|carry|change|charge|come|cost|count|deny|end|expire|fail|fall|find|fit|follow|get|give|go|hold|keep|lead|leave|let|lose|make|match|mean|meet|need|pass|pay|reach|read|remain|return|run|see|send|serve|set|share|show|stand|start|stay|stop|take|tell|turn|use|vanish|wait|win|work|write"
/** Words like "rejects" and "ended", except words in the list and possessives. */
const INFLECTED = "(?!(?:always|as|its|less|others|plus|this|thus|unless|us)\\b)[a-z]+(?:s|ed|'t)"
/**
 * Matches names that have no finite verb after the first word and no verb as the first word. Names with a variable may
 * get a verb from the variable.
 */
const VERBLESS = String.raw`(?!.*[%\n])(?!.*\b(?:${AUXILIARIES})\b)(?!.*\b${INFLECTED}\b(?!'))(?!.+\s(?:${PLURAL})\b).+$`

/** Test names that are only a continuation of the title above them. */
export const FRAGMENTS: readonly Construction[] = [
  {
    pattern: new RegExp(`^(?:${OPENER}|${PHRASE}|${VERBLESS})`, "gi"),
    instead: "write a statement with subject and verb: 'rejects a negative budget'",
    kind: "test name",
  },
]
