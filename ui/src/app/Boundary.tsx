/** What cannot be drawn is told, and takes nothing else with it. */
import { Component, type ReactNode } from "react";

export class Boundary extends Component<{ children: ReactNode }, { problem: string }> {
  override state = { problem: "" };

  static getDerivedStateFromError(error: unknown) {
    return { problem: String(error) };
  }

  override render() {
    return this.state.problem ? <p className="problem">this cannot be shown: {this.state.problem}</p> : this.props.children;
  }
}
