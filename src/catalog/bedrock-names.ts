import { undatedNames } from "./dated-names.ts"

/** Where a region's requests go, as the ids of Bedrock's inference profiles begin. */
const AREAS: readonly (readonly [RegExp, string])[] = [
  [/^us-gov-/, "us-gov"],
  [/^(?:us|ca)-/, "us"],
  [/^eu-/, "eu"],
  [/^ap-northeast-[13]$/, "jp"],
  [/^ap-southeast-[246]$/, "au"],
  [/^ap-/, "apac"],
]

/** `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`: area, maker, name, and the edition of Bedrock's own. */
const BEDROCK_ID = /^(?:([a-z-]+)\.)?[a-z0-9]+\.([a-z]{2,}[^:]*?)(?:-v\d+(?::\d+)?|-\d+:\d+)?$/

/** A name that one of Bedrock's models has at its maker, and how near the model is to who asks; less is nearer. */
export interface MakersName {
  readonly name: string
  readonly distance: number
}

/**
 * What the maker calls a model of Bedrock's, with its day and without. A profile of the provider's own area comes
 * first, then that of all areas: newer models can be called by a profile only.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function makersNames(upstreamModel: string, region = ""): readonly MakersName[] {
  const [, area, name] = BEDROCK_ID.exec(upstreamModel) ?? []
  if (name === undefined) return []
  const distance = distanceOf(area, region)
  return [name, ...undatedNames(name)].map((own) => ({ name: own, distance }))
}

function distanceOf(area: string | undefined, region: string): number {
  if (area === undefined) return 3
  if (area === AREAS.find(([regions]) => regions.test(region))?.[1]) return 1
  return area === "global" ? 2 : 4
}
