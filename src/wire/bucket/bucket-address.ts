/** Where an S3-compatible bucket is, and as whom it is used. */
export interface BucketAddress {
  readonly bucket: string
  /** Absent: Amazon's own. */
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of a temporary pair. */
  readonly sessionToken?: string | undefined
}

const REGION = "us-east-1"

export function regionOf({ region = REGION }: BucketAddress): string {
  return region
}

/** Where a bucket is asked: Amazon's own address unless another is named. */
export function endpointOf(address: BucketAddress): string {
  return address.endpoint ?? `https://s3.${regionOf(address)}.amazonaws.com`
}

/** The address of an object, or of the bucket itself where the key is empty. */
export function addressOf(address: BucketAddress, key: string, query: Query = {}): URL {
  const path = [address.bucket, ...key.split("/")].map(encoded).join("/")
  const url = new URL(`${endpointOf(address).replace(/\/+$/, "")}/${path}`)
  url.search = Object.entries(query)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map((pair) => pair.map(encoded).join("="))
    .join("&")
  return url
}

/** The parameters of a request. */
export type Query = Readonly<Record<string, string>>

/** `encodeURIComponent` leaves five marks alone that a signature has encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
