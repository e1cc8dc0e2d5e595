"""Files of the scenes: DAGs as they were submitted, and what tasks and controllers print.

Owns their text alone.
"""

from __future__ import annotations

from typing import Final

TRAIN_YAML: Final = """\
name: train-resnet-s3
---
name: prepare
run: python prepare.py --shards 812
---
name: train
num_nodes: 2
resources:
  accelerators: A100:1
  any_of: [{infra: aws}, {infra: gcp}]
  job_recovery: {strategy: eager_next_region, max_restarts_on_errors: 3}
envs:
  LEARNING_RATE: "3e-4"
secrets:
  WANDB_API_KEY: null
setup: pip install -r requirements.txt
run: |
  torchrun --nnodes=$SKYPILOT_NUM_NODES --node_rank=$SKYPILOT_NODE_RANK train.py
---
name: eval
run: python eval.py
---
name: export
run: python export.py --format onnx
---
name: report
run: python report.py
"""

WRONG_YAML: Final = """\
name: nightly
---
name: prepare
run: python prepare.py
---
name: train
depends_on: [prep]
resources:
  job_recovery: {strategy: failver}
run: python train.py
---
name: eval
depends_on: [train]
max_duration: 3x
run: python eval.py
"""

FINE_YAML: Final = """\
name: nightly
---
name: prepare
run: python prepare.py
---
name: train
depends_on: [prepare]
resources:
  job_recovery: {strategy: failover}
run: python train.py
---
name: eval
depends_on: [train]
run: python eval.py
"""


_SKIPPED: Final = 31


def _stamp(second: int) -> str:
    """A time of day, so many seconds after 12:20."""
    return f"2026-11-30 12:{20 + second // 60:02}:{second % 60:02}"


def _training() -> str:
    """A training that goes well, but for one batch."""
    lines = [
        "\x1b[32mINFO\x1b[0m  loading 812 shards from /mnt/data/imagenet",
        *(f"\rloading: {part}%|{'#' * (part // 10):<10}| {812 * part // 100}/812 [00:{part // 3:02}"
          f"<00:{(100 - part) // 3:02}, 21.2it/s]" for part in range(0, 101, 4)),
        "\x1b[32mINFO\x1b[0m  model resnet152: 60.2M parameters, 2 nodes, bf16",
    ]  # fmt: skip
    text = lines[0] + "\n" + "".join(lines[1:-1]) + "\n" + lines[-1] + "\n"
    for number in range(40):
        step = 3730 + 10 * number
        text += f"{_stamp(22 * number)} step {step}/9000 loss {0.6 - number * 0.0047:.4f}"
        text += f" lr 2.9e-04 {388 + number % 7} img/s\n"
        if number == _SKIPPED:
            text += f"{_stamp(22 * number + 3)} WARNING batch skipped: gradient is not finite\n"
    return text


TRAINING: Final = _training()

CONTROLLER: Final = """\
2026-11-30 12:18:02 INFO  controller: task 1/3 'prepare' started pid=87655
2026-11-30 12:18:40 INFO  prepare: 812 shards written to /mnt/data/gpt
2026-11-30 12:18:41 INFO  controller: task 'prepare' SUCCEEDED after 38s
2026-11-30 12:18:52 INFO  controller: task 2/3 'train' runs in gpu-01
2026-11-30 12:20:20 ERROR controller: Traceback (most recent call last):
2026-11-30 12:20:20 ERROR   File "controller.py", line 212, in run
2026-11-30 12:20:20 ERROR     self._watch(task)
2026-11-30 12:20:20 ERROR   File "controller.py", line 260, in _watch
2026-11-30 12:20:20 ERROR     buffer = bytearray(self._size)
2026-11-30 12:20:20 ERROR MemoryError
"""

FILES: Final = {
    "logs/1042/1-train.log": TRAINING,
    "logs/1039/1-train.log": CONTROLLER,
    "logs/1040/1-train.log": TRAINING,
    "logs/1035/1-train.log": CONTROLLER,
    "logs/100000/1-train.log": TRAINING,
    "dags/train.yaml": TRAIN_YAML,
    "dags/nightly.yaml": FINE_YAML,
    "dags/etl.yml": FINE_YAML,
    "data/readme.txt": "no DAG\n",
}
