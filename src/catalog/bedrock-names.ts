import { undatedNames } from "./dated-names.ts"

/** The areas to which a region's requests are routed, as prefixes of Bedrock's inference profile ids. */
const AREAS: readonly (readonly [RegExp, string])[] = [
  [/^us-gov-/, "us-gov"],
  [/^(?:us|ca)-/, "us"],
  [/^eu-/, "eu"],
  [/^ap-northeast-[13]$/, "jp"],
  [/^ap-southeast-[246]$/, "au"],
  [/^ap-/, "apac"],
]

/** Matches `eu.anthropic.claude-sonnet-4-5-20250929-v1:0`: area, maker, name and Bedrock's edition. */
const BEDROCK_ID = /^(?:([a-z-]+)\.)?[a-z0-9]+\.([a-z]{2,}[^:]*?)(?:-v\d+(?::\d+)?|-\d+:\d+)?$/

/** The maker's name for a Bedrock model, and the model's distance from the provider's region. */
export interface MakersName {
  readonly name: string
  readonly distance: number
}

/**
 * Returns the maker's names for a Bedrock model, with and without its date. Profiles of the provider's area are
 * nearest, followed by global profiles, because newer models can only be called through a profile.
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
