/** The location and the credentials of an S3-compatible bucket. */
export interface BucketAddress {
  readonly bucket: string
  /** The endpoint of the bucket. Defaults to Amazon's own endpoint. */
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The session token; only for temporary credentials. */
  readonly sessionToken?: string | undefined
}

const REGION = "us-east-1"

export function regionOf({ region = REGION }: BucketAddress): string {
  return region
}

/** Returns the endpoint of a bucket, which is Amazon's by default. */
export function endpointOf(address: BucketAddress): string {
  return address.endpoint ?? `https://s3.${regionOf(address)}.amazonaws.com`
}

/** Returns the URL of an object, or of the bucket itself if the key is empty. */
export function addressOf(address: BucketAddress, key: string, query: Query = {}): URL {
  const path = [address.bucket, ...key.split("/")].map(encoded).join("/")
  const url = new URL(`${endpointOf(address).replace(/\/+$/, "")}/${path}`)
  url.search = Object.entries(query)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.map(encoded).join("="))
    .join("&")
  return url
}

export type Query = Readonly<Record<string, string>>

/** Encodes a text like `encodeURIComponent`, and also five characters that signatures must encode. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
