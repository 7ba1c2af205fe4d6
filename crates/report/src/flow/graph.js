// Draws the control-flow graph of a method, for the pages that have one.
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const character = 7.3, lineHeight = 16;
// Of very many numbers, too, and not less than 0.
const largest = (numbers) => numbers.reduce((most, number) => Math.max(most, number), 0);
// The nodes of the graph: blocks that only follow each other are one. `textOf` gives the text of a line; `lowered` asks for the steps of
// engines instead of lines, and `hasStates` for a line in each node for its state.
function nodesOf(blocks, textOf, lowered, hasStates) {
  const entering = blocks.map(() => 0);
  blocks.forEach((block) => (block.next ?? []).forEach((edge) => entering[edge.to]++));
  if (blocks.length > 0) entering[0]++;
  const nodeOf = blocks.map(() => -1), nodes = [];
  const enter = (block) => {
    if (nodeOf[block] >= 0) return nodeOf[block];
    const node = { blocks: [block], lines: [], code: [], next: [] }, number = nodes.push(node) - 1;
    nodeOf[block] = number;
    let last = block;
    for (;;) {
      const next = blocks[last].next ?? [];
      if (next.length !== 1 || next[0].when || entering[next[0].to] !== 1 || nodeOf[next[0].to] >= 0) break;
      last = next[0].to;
      nodeOf[last] = number;
      node.blocks.push(last);
    }
    for (const at of node.blocks) {
      for (const line of blocks[at].lines) if (node.lines[node.lines.length - 1] !== line) node.lines.push(line);
      // The edges show where control goes.
      node.code.push(...blocks[at].code.map((line) => line.replace(/ ?goto b\d+( else b\d+)?$/, "")).filter((line) => line !== ""));
    }
    const next = blocks[last].next ?? [];
    node.condition = next.some((edge) => edge.when === "true") ? node.code[node.code.length - 1] : null;
    return number;
  };
  for (const pending = blocks.length > 0 ? [0] : []; pending.length > 0;) {
    const node = nodes[enter(pending.pop())];
    if (node.isDone) continue;
    node.isDone = true;
    const last = node.blocks[node.blocks.length - 1];
    for (const edge of blocks[last].next ?? []) {
      node.next.push({ to: enter(edge.to), when: edge.when ?? "", from: last, into: edge.to });
      pending.push(edge.to);
    }
  }
  const cut = (text) => (text.length > 62 ? text.slice(0, 61) + "…" : text);
  for (const node of nodes) {
    node.text = lowered ? node.code.map((line) => [cut(line), ""]) :
      node.lines.map((line) => [cut(`${line}  ${textOf(line)}`), ""]).concat(node.condition === null ? [] : [[cut(node.condition), "condition"]])
        .concat(node.code.filter((line) => line.startsWith("unsupported")).map((line) => [cut(line), "condition"]));
    if (node.text.length === 0) node.text = [["no line of the source", "when"]];
    node.width = Math.max(220, ...node.text.map(([line]) => line.length * character + 14));
    node.height = (node.text.length + (hasStates ? 1 : 0)) * lineHeight + 10;
  }
  return nodes;
}
// The graph with the places of its nodes. Layers go from top to bottom; long edges pass through places of their own in the layers between.
function graphOf(blocks, textOf, lowered, hasStates) {
  const nodes = nodesOf(blocks, textOf, lowered, hasStates);
  const state = nodes.map(() => 0), order = [], edges = [];
  const visit = [[0, 0]];
  if (nodes.length > 0) state[0] = 1;
  while (nodes.length > 0 && visit.length > 0) {
    const top = visit[visit.length - 1], edge = nodes[top[0]].next[top[1]++];
    if (!edge) { state[top[0]] = 2; order.push(top[0]); visit.pop(); continue; }
    edges.push({ ...edge, start: top[0], back: state[edge.to] === 1 });
    if (state[edge.to] === 0) { state[edge.to] = 1; visit.push([edge.to, 0]); }
  }
  const layer = nodes.map(() => 0);
  for (const node of order.reverse())
    for (const edge of edges) if (edge.start === node && !edge.back) layer[edge.to] = Math.max(layer[edge.to], layer[node] + 1);
  const layers = [];
  const put = (place, at) => { (layers[at] ??= []).push(place); return place; };
  const places = nodes.map((node, number) => put({ width: node.width, height: node.height, above: [], node: number }, layer[number]));
  for (const edge of edges.filter((edge) => !edge.back)) {
    let above = places[edge.start];
    edge.through = [];
    for (let at = layer[edge.start] + 1; at < layer[edge.to]; at++) {
      const place = put({ width: 16, height: 0, above: [above] }, at);
      edge.through.push(place);
      above = place;
    }
    places[edge.to].above.push(above);
  }
  let y = 24;
  for (const members of layers) {
    const wish = (place) => place.above.length === 0 ? 0 : place.above.reduce((sum, above) => sum + above.x + above.width / 2, 0) / place.above.length;
    members.sort((a, b) => wish(a) - wish(b));
    let x = -Infinity;
    for (const place of members) {
      place.x = Math.max(x, wish(place) - place.width / 2);
      x = place.x + place.width + 26;
    }
    // Half of the places that were pushed to the right go back.
    const shift = members.reduce((sum, place) => sum + place.x + place.width / 2 - wish(place), 0) / members.length;
    const height = largest(members.map((place) => place.height));
    for (const place of members) { place.x -= shift; place.y = y; if (place.node === undefined) place.height = height; }
    y += height + 38;
  }
  const left = -largest(places.map((place) => -place.x));
  for (const members of layers) for (const place of members) place.x -= left - 10;
  const right = largest(layers.map((members) => largest(members.map((place) => place.x + place.width))));
  return { nodes, edges, places, width: right + 60, height: y };
}
// A drawing of the graph. `marks` has the blocks that a way has `passed`, those at which it is `now`, and the edges that it has `taken`, as
// `FROM>TO`; `stateOf` gives what is known at a node: how many `times` control was there, and `rows` about the variables.
function svgOf({ nodes, edges, places, width, height }, marks = {}, stateOf = () => undefined) {
  let drawn = "";
  edges.forEach((edge) => {
    const from = places[edge.start], to = places[edge.to];
    const startX = from.x + from.width * (edge.when === "true" ? 0.35 : edge.when === "false" ? 0.65 : 0.5), startY = from.y + from.height;
    const isTaken = marks.taken?.has(edge.from + ">" + edge.into);
    let path = `M${startX} ${startY}`;
    if (edge.back) {
      const side = width - 44, endX = to.x + to.width * 0.8;
      path += `C${startX} ${startY + 30} ${side} ${startY + 30} ${side} ${startY - 10}V${to.y}C${side} ${to.y - 30} ${endX} ${to.y - 30} ${endX} ${to.y}`;
    } else {
      let y = startY, x = startX;
      for (const stop of [...edge.through.map((place) => [place.x + place.width / 2, place.y, place.height]), [to.x + to.width / 2, to.y, 0]]) {
        path += `C${x} ${y + 22} ${stop[0]} ${stop[1] - 22} ${stop[0]} ${stop[1]}` + (stop[2] > 0 ? `V${stop[1] + stop[2]}` : "");
        [x, y] = [stop[0], stop[1] + stop[2]];
      }
    }
    const kinds = (isTaken ? " taken" : "") + (edge.when === "exception" ? " exception" : "");
    drawn += `<path class="edge${kinds}" d="${path}" marker-end="url(#to${isTaken ? "-taken" : ""})"/>`;
    // Many cases begin at one point.
    const isCase = edge.when && !["true", "false", "exception"].includes(edge.when) && !edge.back;
    const first = isCase ? edge.through[0] ?? to : null;
    const [labelX, labelY] = isCase ? [first.x + first.width / 2 + 6, first.y - 8] : [startX + 5, startY + 13];
    if (edge.when) drawn += `<text class="when" x="${labelX}" y="${labelY}">${escape(edge.when)}</text>`;
  });
  nodes.forEach((node, number) => {
    const { x, y } = places[number];
    const state = stateOf(node);
    const kinds = (node.blocks.some((block) => marks.passed?.has(block)) ? " passed" : "") + (node.blocks.some((block) => marks.now?.has(block)) ? " now" : "");
    const all = state ? [...(state.times > 1 ? [`${state.times}×`] : []), ...state.rows] : [];
    const title = state ? `<title>${escape(all.join("\n"))}</title>` : "";
    drawn += `<rect class="block${kinds}" data-node="${number}" x="${x}" y="${y}" width="${node.width}" height="${node.height}" rx="5">${title}</rect>`;
    node.text.forEach(([line, kind], at) => { drawn += `<text class="${kind}" x="${x + 7}" y="${y + 17 + at * lineHeight}">${escape(line)}</text>`; });
    if (!state) return;
    const most = Math.floor((node.width - 14) / character), line = [...(state.times > 1 ? [`${state.times}×`] : []), state.rows.join(", ")].join(" ");
    const shown = line.length > most ? line.slice(0, most - 1) + "…" : line;
    drawn += `<text class="state" x="${x + 7}" y="${y + 17 + node.text.length * lineHeight}">${escape(shown)}</text>`;
  });
  const head = (id, color) => `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="${color}"/></marker>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs>${head("to", "#8c959f")}${head("to-taken", "#1a7f37")}</defs>${drawn}</svg>`;
}
