/** The seam of the client: what carries lines to an engine and brings its answers back. */
export interface Transport {
  /** Resolves when lines can be sent. May be called again, also after `close`. */
  connect(session: string | undefined): Promise<void>;
  /**
   * One line of the Intent Language; its answer. What is under way when the other end goes away is rejected and never
   * sent again; what is abandoned before it was sent never is.
   */
  ask(line: string, abandoned?: AbortSignal): Promise<string>;
  /** Ends the other end, or the way to it. What is under way is rejected. */
  close(): Promise<void>;
}
