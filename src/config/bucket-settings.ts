/** An S3-compatible bucket. */
export interface BucketSettings {
  readonly bucket: string
  /** Absent: Amazon's own. */
  readonly endpoint?: string
  readonly region?: string
  /** Never printed; nor is the next one. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
}
