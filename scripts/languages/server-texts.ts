import { RULE_SOURCE_WORDS } from "#contract/effective-rules.ts"
import { WEEKDAY_NAMES } from "#contract/price-periods.ts"
import { MODEL_RULES, ruleSentence } from "#contract/rule-definitions.ts"
import { CODES } from "../../console/src/languages/words.ts"
import { CHANGEABLE_SETTINGS } from "../../src/config/changeable-settings.ts"
import { vendorForms } from "../../src/management/vendor-forms.ts"

/** Returns the texts that the console receives from the gateway or the contract and translates. */
export function serverTexts(): readonly string[] {
  return [
    ...CODES.map((code) => code.replaceAll("_", " ")),
    ...CHANGEABLE_SETTINGS.flatMap(({ label, help }) => [label, help]),
    ...Object.values(MODEL_RULES).flatMap(({ label, meaning }) => [label, ruleSentence(meaning)]),
    ...Object.values(RULE_SOURCE_WORDS),
    ...WEEKDAY_NAMES,
    ...vendorForms().flatMap(({ fields }) => fields.map((field) => field.label)),
  ]
}
