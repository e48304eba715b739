/** How an answer that is passed on ended: all of it came, the upstream broke off, or the caller left. */
export type Ending = "whole" | "broken" | "left"
