#!/usr/bin/env python3
"""Train the model that chooses the blocks of a page, and write it as one binary file.

    pip install lightgbm numpy rapidfuzz
    cargo build --release -p reading --example extraction
    train.py --data ../shared/extraction --example target/release/examples/extraction [--folds 5] [--write FILE]

Every page of the reference sets is cut into blocks by our own code (the example's `rows`), each block gets as label the share
of its words that the reference text has in the same order, and a small ensemble of trees learns the labels from the numbers
of `extract/features.rs`. --folds N reports what our Markdown scores on sites the model was not trained on; --write trains on all
pages of the set and writes `crates/reading/src/extract/model.bin`. The pages themselves are never part of the repository.
"""
import argparse
import gzip
import hashlib
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy
from rapidfuzz.distance import LCSseq

WORD = re.compile(r"\w+")
SETS = {"articles": "shingle", "pages": "words"}
TREES = 450
PARAMETERS = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.08, "min_data_in_leaf": 40, "feature_fraction": 0.25,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 127, "seed": 1, "deterministic": True, "extra_trees": True,
    "num_threads": 1, "verbose": -1,
}


def words(text):
    return [word.lower() for word in WORD.findall(text)]


def load(data, example):
    names, pages = None, []
    for name in SETS:
        packed = gzip.open(Path(data) / f"{name}.jsonl.gz", "rb").read()
        records = {record["id"]: record for record in map(json.loads, packed.splitlines())}
        lines = subprocess.run([example, "rows"], input=packed, capture_output=True, check=True).stdout.splitlines()
        names = json.loads(lines[0])["names"]
        for line in lines[1:]:
            row = json.loads(line)
            record = records[row["id"]]
            texts = [block["text"] for block in row["blocks"]]
            numbers = numpy.array([block["row"] for block in row["blocks"]], dtype=numpy.float32).reshape(len(texts), len(names))
            pages.append({"set": name, "site": record["site"], "gold": record["gold"], "texts": texts, "numbers": numbers,
                          "type": record["gold"].get("type", "article (news)"),
                          "record": {key: record[key] for key in ("id", "url", "html")}})
    for page in pages:
        page["labels"], page["sizes"] = labels(page)
    return names, pages


def labels(page):
    """The part of each block that the reference has, in its order; repetitions count once."""
    gold, blocks = words(page["gold"]["text"]), [words(text) for text in page["texts"]]
    flat = [word for block in blocks for word in block]
    owner = [index for index, block in enumerate(blocks) for _ in block]
    found = numpy.zeros(len(blocks))
    for step in LCSseq.opcodes(flat, gold):
        if step.tag == "equal":
            for position in range(step.src_start, step.src_end):
                found[owner[position]] += 1
    sizes = numpy.array([len(block) for block in blocks], dtype=float)
    share = found / numpy.maximum(sizes, 1)
    # References that are ordered otherwise than the page: long runs of words are proof enough.
    runs = {tuple(gold[i:i + 4]) for i in range(len(gold) - 3)}
    seen = {tuple(block) for block, value in zip(blocks, share) if value >= 0.5}
    for index, block in enumerate(blocks):
        if share[index] < 0.5 and len(block) >= 6 and tuple(block) not in seen:
            inside = sum(tuple(block[i:i + 4]) in runs for i in range(len(block) - 3)) / (len(block) - 3)
            if inside > 0.7:
                share[index] = inside
                seen.add(tuple(block))
    share[share < 0.4] = 0
    return share, sizes


def weights(page):
    """Words count as they do in the score: relative to the size of the reference. No page counts more than four."""
    gold = (page["labels"] * page["sizes"]).sum()
    weight = (page["sizes"] + 1) / (gold + 20)
    return weight * min(1, 4 / max(weight.sum(), 1e-9))


def fit(pages, names):
    numbers = numpy.concatenate([page["numbers"] for page in pages])
    label = numpy.concatenate([page["labels"] for page in pages])
    weight = numpy.concatenate([weights(page) for page in pages])
    weight *= len(weight) / weight.sum()
    # A block that is half right is one that is right and one that is wrong, at half weight each.
    both = numpy.concatenate([numbers, numbers])
    target = numpy.concatenate([numpy.ones(len(label)), numpy.zeros(len(label))])
    share = numpy.concatenate([weight * label, weight * (1 - label)])
    used = share > 1e-9
    data = lightgbm.Dataset(both[used], label=target[used], weight=share[used], feature_name=names)
    return lightgbm.train(PARAMETERS, data, TREES)


def report(scorer, pages, example):
    """Scores what a reader would get: the example chooses and writes by the chances given."""
    lines = "\n".join(json.dumps({**page["record"], "chances": [float(it) for it in page["chances"]]}) for page in pages)
    answers = subprocess.run([example, "judged"], input=lines.encode(), capture_output=True, check=True).stdout.splitlines()
    by_set, by_type = {}, {}
    for page, answer in zip(pages, answers):
        text = scorer.markdown_text(json.loads(answer)["markdown"])
        result = scorer.PAGE[SETS[page["set"]]](page["gold"], text)
        by_set.setdefault(page["set"], []).append(result)
        by_type.setdefault(page["type"], []).append(result["f1"])
    for name, rows in by_set.items():
        total = scorer.aggregate(SETS[name], rows)
        print(f"{name:<12} F1 {total['f1']:.4f}  precision {total['p']:.4f}  recall {total['r']:.4f}")
    print("  ".join(f"{name} {numpy.mean(values):.3f}" for name, values in sorted(by_type.items())), flush=True)


def cross_validate(scorer, names, pages, folds, example):
    fold = {page["site"]: int(hashlib.sha1(page["site"].encode()).hexdigest(), 16) % folds for page in pages}
    for number in range(folds):
        model = fit([page for page in pages if fold[page["site"]] != number], names)
        for page in pages:
            if fold[page["site"]] == number:
                page["chances"] = model.predict(page["numbers"]) if len(page["texts"]) else numpy.zeros(0)
    report(scorer, pages, example)


def table(model):
    """Inner nodes as (number, threshold, left, right); a negative child is a leaf, -1 the first one."""
    nodes, leaves, roots = [], [], []

    def add(tree):
        if "leaf_value" in tree:
            leaves.append(tree["leaf_value"])
            return -len(leaves)
        place = len(nodes)
        nodes.append(None)
        left, right = add(tree["left_child"]), add(tree["right_child"])
        nodes[place] = (tree["split_feature"], tree["threshold"], left, right)
        return place

    for tree in model.dump_model()["tree_info"]:
        roots.append(add(tree["tree_structure"]))
    return nodes, leaves, roots


def write(model, path, features):
    """The binary file that crates/reading/src/extract/model_file.rs describes."""
    nodes, leaves, roots = table(model)
    packed = struct.pack("<4I", features, len(nodes), len(leaves), len(roots))
    packed += b"".join(struct.pack("<Hfhh", *node) for node in nodes)
    packed += struct.pack(f"<{len(leaves)}f", *leaves) + struct.pack(f"<{len(roots)}h", *roots)
    Path(path).write_bytes(packed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--example", required=True)
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--write")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.data)
    import score as scorer
    names, pages = load(arguments.data, arguments.example)
    if arguments.folds:
        cross_validate(scorer, names, pages, arguments.folds, arguments.example)
    if arguments.write:
        write(fit(pages, names), arguments.write, len(names))


if __name__ == "__main__":
    main()
