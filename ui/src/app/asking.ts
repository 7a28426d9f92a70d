/** What the pages of `veer ui` ask their server for; every question bears the token of the address. */
import { useEffect, useState } from "react";
import type { ComparisonData, Witness } from "../types.ts";

export interface StoredSink {
  sink: string;
  how: "computed" | "reused" | "not kept";
  rows: number | null;
  why: string;
  result: string;
  bytes: number | null;
  seconds: number | null;
}

export interface StoredVersion {
  name: string;
  number: number;
  spec: string;
  started: number;
  seconds: number;
  operators: number;
  edits: { kind: string; operator: string; detail: string }[];
  sinks: StoredSink[];
  plots: string[];
}

export interface VersionDetails extends StoredVersion {
  dataflow: string;
  sources: { table: string; fingerprint: string }[];
  environment: Record<string, string>;
}

export interface Run {
  id: string;
  name: string;
  number: number | null;
  spec: string;
  state: "running" | "done" | "failed" | "dead";
  stage: string;
  started: number;
  updated: number;
  seconds: number | null;
  work: Partial<{
    sinks: { sink: string; how: string; rows: number | null; why: string; result: string; bytes: number; seconds: number }[];
    read: { operator: string; why: string; rows: number; result: string; bytes: number; seconds: number }[];
    computed_bytes: number;
    computed_seconds: number;
    read_bytes: number;
    saved_bytes: number;
    saved_seconds: number;
    reused: number;
    planning: number;
    proving: number;
  }>;
}

export interface StoreData {
  location: string;
  versions: StoredVersion[];
  runs: Run[];
  results: { count: number; bytes: number };
}

export interface Preview {
  columns: string[];
  types: string[];
  rows: (string | null)[][];
  count: number;
  bytes: number;
  seconds: number;
}

export interface ComparisonState {
  p: string;
  q: string;
  state: "waiting" | "running" | "done" | "failed";
  progress: string;
  seconds: number;
  data: ComparisonData | null;
}

export interface CheckFile {
  file: string;
  problem?: string;
  report?: {
    base: { name: string };
    verdict: string;
    seconds: number;
    jobs: { job: string; verdict: string; why: string; seconds: number; sinks: { sink: string; verdict: string; reason: string; witness: Witness | null }[] }[];
    recompute: unknown[];
    keep: unknown[];
    notes: string[];
  };
}

const token = new URLSearchParams(location.search).get("token") ?? "";

export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "x-veer-token": token };
  if (body !== undefined) headers["content-type"] = "application/json";
  const answer = await fetch(path, { headers, method: body === undefined ? "GET" : "POST", body: body === undefined ? null : JSON.stringify(body) });
  const data = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw new Error(data.error ?? `the server answers ${answer.status}`);
  return data as T;
}

/** An address that a frame or picture loads. */
export function addressOf(path: string): string {
  return `${path}?token=${encodeURIComponent(token)}`;
}

export interface Asked<T> {
  data?: T;
  error?: string;
}

/** The answer to a question, asked again whenever `again` changes; the one before stays meanwhile. */
export function useAnswer<T>(path: string, again: unknown = 0): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { path?: string }>({});
  useEffect(() => {
    let wanted = true;
    ask<T>(path)
      .then((data) => wanted && setAsked({ data, path }))
      .catch((error: Error) => wanted && setAsked({ error: error.message, path }));
    return () => {
      wanted = false;
    };
  }, [path, again]);
  return asked.path === path ? asked : {};
}

/** Something new whenever the store changes, and whether the server is there. */
export function useChanges(): { mark: string; live: boolean } {
  const [mark, setMark] = useState("");
  const [live, setLive] = useState(true);
  useEffect(() => {
    const source = new EventSource(addressOf("/api/events"));
    source.onmessage = (event) => {
      setMark(event.data);
      setLive(true);
    };
    source.onerror = () => setLive(false);
    source.onopen = () => setLive(true);
    return () => source.close();
  }, []);
  return { mark, live };
}
